// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/process/session.h"
#include "core/case/case.h"

namespace gradproof {

/// The factor by which a number of a line may be off and is seen.
struct NumberSeen {
  std::string line;
  std::string number;  ///< "y.eps"
  double value = 0;
  std::optional<double> factor;  ///< the least one that was convicted; none: none of them was
};

/// The factors that are tried, in this order, for each floating number that is not 0.
inline constexpr double kFactors[] = {1.1, 1.3, 2, 3, 10, 100};

/// Asks about the given tensors of these Cases again, under lines in which one number is
/// multiplied, until one of a line's Cases is convicted. A factor that the stage cannot have is
/// left out, and so are Cases that are no graphs of given tensors. Throws InstrumentError and
/// Interrupted.
std::vector<NumberSeen> numbers_seen(Session& session, const std::vector<Case>& cases);

/// "seen if off: y.eps (1e-06) by a factor of 1.1; z.slope (0.2) by none up to 100", or nothing.
std::string numbers_seen_text(const std::vector<NumberSeen>& numbers);

}  // namespace gradproof
