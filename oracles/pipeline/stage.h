// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/pipeline/compiled_pipeline.h"

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

/// All that a stage is built from. `arithmetic` defines the scalars and the rounding of the
/// operations; the stage's formulas are the same for all of them. The unit's numbers may change
/// between two evaluations.
template <class A>
struct Setting {
  const CompiledPipeline& compiled;
  const A& arithmetic;
  const Unit<typename A::Scalar>& unit;
};

/// A parameter's gradient in one unit: one sum where the unit is a column, one term for each
/// channel where it is a row of a group.
template <class T>
struct Gradient {
  std::size_t number = 0;  ///< the parameter's position in CompiledPipeline::numbers
  Values<T> terms;
};

/// The place of an argument of a stage that is not smooth everywhere: the number of a smooth piece,
/// counted from 0, or one of these two.
inline constexpr int kOnKink = -1;
inline constexpr int kOutsideDomain = -2;

/// One step of a pipeline on one unit. The result of a function is valid until that function is
/// called again. `value` keeps the numbers that `adjoint` needs, and the address of its argument.
template <class A>
class Stage {
 public:
  using T = typename A::Scalar;

  virtual ~Stage() = default;

  virtual const Values<T>& value(const Values<T>& in) = 0;

  /// Computes as much of `value` as the adjoint needs.
  virtual void remember(const Values<T>& in) = 0;

  /// Hands over the argument of the step right in front (CompiledStep::scaled_by); called before
  /// `adjoint`.
  virtual void take_unscaled(const Values<T>&) {}

  /// The input's cotangent, from that of the value.
  virtual const Values<T>& adjoint(const Values<T>& cotangent) = 0;

  /// Gradients of the stage's parameters; valid after `adjoint`.
  const std::vector<Gradient<T>>& gradients() const { return gradients_; }

  /// An output or a buffer beside the value.
  virtual T side_value(NormOutput) const { return T(); }

  /// True if the stage has neither a kink nor a domain; `pieces` is not called then.
  virtual bool is_smooth() const { return true; }

  /// The smooth piece in which each number of `in` lies. It is never called with packs.
  virtual std::vector<int> pieces(const Values<T>&) const { return {}; }

 protected:
  std::vector<Gradient<T>> gradients_;
};

/// A buffer that takes as many numbers as another one.
template <class T>
Values<T>& as_long_as(Values<T>& buffer, const Values<T>& other) {
  buffer.resize(other.size());
  return buffer;
}

}  // namespace gradproof
