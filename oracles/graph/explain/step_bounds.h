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
  /// `part`: of all terms of a sum.
  Permitted permitted(double part = 1) const {
    const bool infinite = overflow && !vacuous && std::isinf(value) && sum() == 0;
    return {sum() / part, vacuous, overflow, infinite};
  }
};

/// What is permitted at the element's place on the way, all roundings counted.
struct ErrorTrail {
  std::vector<double> values;      ///< by GraphPlan::values
  std::vector<double> cotangents;  ///< the same
  std::vector<double> statistics;  ///< by GraphPlan::statistics
};

/// The bound of one element, before it is stored, with the roundings of some steps alone. Of n
/// steps the positions are their values, from n on their adjoints, and 2 n the sum over the numbers
/// along the axis that blocks are cut from.
class StepBounds {
 public:
  StepBounds() = default;
  virtual ~StepBounds();
  StepBounds(const StepBounds&) = delete;
  StepBounds& operator=(const StepBounds&) = delete;

  /// All roundings, by that contract. Of a sum of which the site has a part, the part's share.
  virtual ErrorParts all(const GraphContract& contract) const = 0;
  /// Those of one position.
  virtual ErrorParts of(std::size_t position, const GraphContract& contract) const = 0;
  /// No rounding: what underflow, ties, kinks and thresholds leave, or the same without underflow.
  virtual ErrorParts of_none(bool with_underflow) const = 0;
  virtual ErrorTrail trail() const = 0;
};

/// Nothing of it may end before the result.
std::unique_ptr<StepBounds> step_bounds(const GraphClaim& claim, const GraphElement& element,
                                        const GraphSite& site);

}  // namespace gradproof
