// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace gradproof {

template <class T>
using Values = std::vector<T>;

/// The statistics with which a norm normalises one unit.
template <class T>
struct Statistics {
  T mean;
  T variance;  ///< biased; not used where the statistics were given
  T rstd;
};

/// The numbers of one unit (core/claim/claim.h): a column of x over all rows, or one row of one
/// group, where each element is a channel with parameters of its own. T may be several elements at
/// once.
template <class T>
struct Unit {
  Values<T> x;
  Values<T> dy;
  std::vector<Values<T>> numbers;  ///< by CompiledPipeline::numbers: one, or one for each element
  double batches = 0;              ///< num_batches_tracked before the step
  std::optional<Statistics<T>> given;  ///< taken instead of the unit's own, as exact
};

/// A reduction that a contract names (core/claim/contract.h). Plain data, so that no compilation
/// needs code of its own before main.
struct ReductionName {
  int place = 0;
  /// The contract's word for the reduction.
  operator const std::string&() const;
};
inline constexpr ReductionName kStatistics{0};
inline constexpr ReductionName kGradients{1};
inline constexpr ReductionName kParameters{2};
inline constexpr ReductionName kShared{3};

}  // namespace gradproof
