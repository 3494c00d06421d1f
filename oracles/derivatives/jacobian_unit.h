// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "oracles/arithmetic/dual.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/arithmetic/real.h"
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/pipeline/gather.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {

/// The outputs of a unit: y, element by element, then the side values by CompiledPipeline::sides.
using UnitOutputs = Values<Real>;

/// One number of a unit.
struct UnitNumber {
  Movable tensor;
  std::size_t place = 0;  ///< in Unit::x or Unit::numbers[...]
};

/// One unit of a claim, in numbers of type T.
template <class T>
class JacobianUnit {
 public:
  JacobianUnit(const Claim& claim, const CompiledPipeline& compiled, const Tensors& inputs,
               std::int64_t index)
      : compiled_(compiled),
        unit_(gather<T>(claim, inputs, index)),
        runner_({compiled_, arithmetic_, unit_}) {
    arithmetic_.take_count(static_cast<std::int64_t>(unit_.x.size()));
  }
  JacobianUnit(const JacobianUnit&) = delete;
  JacobianUnit& operator=(const JacobianUnit&) = delete;

  T& number(const UnitNumber& which) {
    return which.tensor.input ? unit_.x[which.place]
                              : unit_.numbers[which.tensor.number][which.place];
  }

  /// y and the side values of the current numbers.
  Values<T> outputs() {
    Values<T> result = runner_.forward();
    for (std::size_t s = 0; s < compiled_.sides.size(); ++s)
      result.push_back(runner_.side_value(s));
    return result;
  }

  /// d y[element] / d number by the adjoint; after outputs().
  T adjoint(std::size_t element, const UnitNumber& which) {
    std::fill(unit_.dy.begin(), unit_.dy.end(), T(0));
    unit_.dy[element] = T(1);
    const Values<T>& dx = runner_.backward();
    if (which.tensor.input) return dx[which.place];
    const Values<T>* terms = runner_.gradient(which.tensor.number);
    if (terms == nullptr) return T(0);
    if (terms->size() == unit_.numbers[which.tensor.number].size()) return (*terms)[which.place];
    T sum(0);  // a number that all channels share has a term for each of them
    for (const T& term : *terms) sum += term;
    return sum;
  }

 private:
  const CompiledPipeline& compiled_;
  Plain<T> arithmetic_;
  Unit<T> unit_;
  PipelineRunner<Plain<T>> runner_;
};

/// Central differences of order 2, 4 and 6 of a unit's outputs by one number, from moves by h, 2h,
/// 4h and 8h (Romberg), and |D(h) - D(2h)|; by order and output, absolute.
struct UnitDifferences {
  std::array<UnitOutputs, 3> value;
  std::array<UnitOutputs, 3> self_error;
};
UnitDifferences unit_differences(JacobianUnit<Real>& unit, const UnitNumber& which, int log2_step);

/// The step and the order (0, 1, 2 for 2, 4, 6) with the smallest max |D(h) - D(2h)|, searched
/// downhill from the step that usually is best in 50 digits. 2^log2_scale is the width on which the
/// outputs change.
struct ColumnStep {
  int log2_step = 0;
  std::size_t order = 2;
  Real error;  ///< max |D(h) - D(2h)| over the outputs
};
ColumnStep best_step(JacobianUnit<Real>& unit, const UnitNumber& which, int log2_scale);

/// The derivatives of a unit's outputs by one number, by dual numbers.
UnitOutputs unit_duals(const Claim& claim, const CompiledPipeline& compiled, const Tensors& inputs,
                       std::int64_t index, const UnitNumber& which);

/// How many outputs of the unit differ between two sets of inputs.
std::int64_t outputs_that_move(const Claim& claim, const Tensors& inputs, const Tensors& changed,
                               std::int64_t index);

}  // namespace gradproof
