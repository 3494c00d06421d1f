// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/claim.h"

namespace gradproof {

template <class T>
using Values = std::vector<T>;

/// By tensor name.
template <class T>
using Named = std::map<std::string, T, std::less<>>;

/// What a norm divides by and subtracts in one unit.
template <class T>
struct Statistics {
  T mean;
  T variance;  ///< biased; not used where the statistics were given
  T rstd;
};

/// The numbers of one unit (core/claim.h): a column of x over all rows, or one row of one group,
/// where each element is a channel with parameters of its own.
template <class T>
struct Unit {
  Values<T> x;
  Values<T> dy;
  Named<Values<T>> numbers;  ///< parameters and buffers: one number, or one for each element
  std::set<std::string, std::less<>> shared;  ///< parameters of one number that columns share
  bool channels = false;                      ///< the unit is a row of a group
  double batches = 0;                         ///< num_batches_tracked before the step
  std::optional<Statistics<T>> given;         ///< taken instead of the unit's own, as exact
};

/// The reductions that a contract names (core/contract.h).
inline const std::string kStatistics = "statistics";
inline const std::string kGradients = "gradients";
inline const std::string kParameters = "parameters";
inline const std::string kShared = "shared";

/// What an adjoint hands back: the input's cotangent, and for each parameter its gradient's part in
/// this unit: one sum in a column, one term for each channel in a row of a group.
template <class T>
struct Adjoint {
  Values<T> input;
  Named<Values<T>> parameters;
};

/// All that a stage is built from. `arithmetic` says what the scalars are and how the operations
/// round; the stage's formulas are the same for all of them. The unit's numbers may change between
/// two evaluations, its parameters' names may not.
template <class A>
struct Setting {
  const Claim& claim;
  const A& arithmetic;
  const Unit<typename A::Scalar>& unit;
};

/// One step of a Pipeline on one unit. `value` comes first and keeps what `adjoint` needs.
template <class A>
class Stage {
 public:
  using T = typename A::Scalar;

  virtual ~Stage() = default;

  virtual Values<T> value(const Values<T>& in) = 0;

  /// From the cotangent of the value.
  virtual Adjoint<T> adjoint(const Values<T>& cotangent) const = 0;

  /// Outputs and buffers beside the value, by name.
  virtual Named<T> side_values() const { return {}; }
};

}  // namespace gradproof
