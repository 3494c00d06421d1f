// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "oracles/arithmetic/forms.h"
#include "oracles/graph/explain/graph_site.h"
#include "oracles/truth/ball.h"

namespace gradproof {

/// A permitted error in parts: one for each error that a group's elements share (SharedError), then
/// the independent one.
struct ErrorParts {
  static constexpr std::size_t kIndependent = kSharedErrors;

  double value = 0;
  std::array<double, kSharedErrors + 1> parts{};
  bool vacuous = false;
  bool overflow = false;
  int owner = -1;  ///< the step whose groups share the errors

  double sum() const;
  double total() const;  ///< infinite where there is no bound
  /// The permitted error of a whole sum, of whose terms these parts cover the share `part`.
  Permitted permitted(double part = 1) const {
    const bool infinite = overflow && !vacuous && std::isinf(value) && sum() == 0;
    return {sum() / part, vacuous, overflow, infinite};
  }
};

/// The permitted errors of all numbers at the element's place, all roundings counted.
struct ErrorTrail {
  std::vector<double> values;      ///< by GraphPlan::values
  std::vector<double> cotangents;  ///< the same
  std::vector<double> statistics;  ///< by GraphPlan::statistics
};

/// The bound of one element, before it is stored, with the roundings of some steps alone. For n
/// steps the positions 0 to n - 1 are their values, n to 2 n - 1 their adjoints, and 2 n is the sum
/// along the axis that blocks are cut from.
class StepBounds {
 public:
  StepBounds() = default;
  virtual ~StepBounds();
  StepBounds(const StepBounds&) = delete;
  StepBounds& operator=(const StepBounds&) = delete;

  /// The bound with all roundings of the contract; the part's share if the site has part of a sum.
  virtual ErrorParts all(const GraphContract& contract) const = 0;
  /// The bound with the roundings of one position.
  virtual ErrorParts of(std::size_t position, const GraphContract& contract) const = 0;
  /// The bound without roundings: of ties, kinks and thresholds, and of underflow if asked for.
  virtual ErrorParts of_none(bool with_underflow) const = 0;
  virtual ErrorTrail trail() const = 0;
};

/// All arguments must outlive the result.
std::unique_ptr<StepBounds> step_bounds(const GraphClaim& claim, const GraphElement& element,
                                        const GraphSite& site);

}  // namespace gradproof
