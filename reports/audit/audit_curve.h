// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "core/compare/record.h"

namespace gradproof {

/// The place of an order (2, 4, 6) in SweepPoint's arrays.
std::size_t place_of(int order);

/// The sweep's points, the smallest step first.
std::vector<SweepPoint> by_step(const AuditFigures& figures);

/// The shape of one tensor's sweep, for the order taken. Slopes are of log2(error) by log2(step);
/// NaN where too few points lie on that side.
struct CurveShape {
  double right = std::numeric_limits<double>::quiet_NaN();  ///< truncation: about the order
  double left = std::numeric_limits<double>::quiet_NaN();   ///< rounding: about -1
  double floor = std::numeric_limits<double>::quiet_NaN();  ///< lowest error of the curve
  int plateau = 0;  ///< points within a factor 10 of the floor
};

CurveShape shape_of(const AuditFigures& figures);

/// The V-curve of the order taken for a terminal: log10 of the error down, the step across, `o` the
/// error against the adjoint, `+` the difference's own estimate of it, `*` both; the step taken is
/// marked. The text of curve_words() stands beneath it. Empty if there is no sweep.
std::string curve_plot(const Record& row);

/// "slopes -1.0 (rounding) and 4.0 (truncation), floor 2e-29, 3 steps near it"; a wrong gradient is
/// said to be a flat line.
std::string curve_words(const AuditFigures& figures);

}  // namespace gradproof
