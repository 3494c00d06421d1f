// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/compare/record.h"

namespace gradproof {

/// The place of an order (2, 4, 6) in SweepPoint's arrays.
std::size_t place_of(int order);

/// The sweep's points, the smallest step first.
std::vector<SweepPoint> by_step(const AuditFigures& figures);

/// The V-curve of the order taken for a terminal: log10 of the error down, the step across, `o` the
/// error against the adjoint, `+` the difference's own estimate of it, `*` both; the step taken is
/// marked. Beneath it what curve_words() says. Empty where there is no sweep.
std::string curve_plot(const Record& row);

/// "slopes -1.0 (rounding) and 4.0 (truncation), floor 2e-29, 3 steps near it"; a wrong gradient is
/// said to be a flat line.
std::string curve_words(const AuditFigures& figures);

}  // namespace gradproof
