// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "oracles/pipeline/compiled_pipeline.h"
#include "oracles/pipeline/unit.h"

namespace gradproof {

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
