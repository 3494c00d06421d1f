// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/dual.h"
#include "oracles/derivatives/unit_directions.h"
#include "oracles/derivatives/witness_numbers.h"
#include "oracles/pipeline/gather.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {

/// The numbers of one unit and a PipelineRunner on them. Arithmetic is Plain, or in a control an
/// arithmetic whose adjoint is wrong.
template <template <class> class Arithmetic, class T>
class ReadUnit {
 public:
  ReadUnit(const CompiledPipeline& compiled, const Claim& claim, const Tensors& inputs,
           std::int64_t unit)
      : numbers_(gather<T>(claim, inputs, unit)), runner_({compiled, arithmetic_, numbers_}) {
    arithmetic_.take_count(static_cast<std::int64_t>(numbers_.x.size()));
  }
  ReadUnit(const ReadUnit&) = delete;
  ReadUnit& operator=(const ReadUnit&) = delete;

  Unit<T>& unit() { return numbers_; }
  PipelineRunner<Arithmetic<T>>& runner() { return runner_; }

  Values<T>& numbers_of(const Movable& tensor) {
    return tensor.input ? numbers_.x : numbers_.numbers[tensor.number];
  }

  /// After forward and backward: the unit's terms of a tensor's gradient, by place.
  Values<T> gradient(const Differentiated& tensor) const {
    if (tensor.movable.input) return runner_.input_gradient();
    const Values<T>& terms = *runner_.gradient(tensor.movable.number);
    if (!tensor.shared) return terms;
    T sum(0);  // a number that all channels share has a term for each of them
    for (const T& term : terms) sum += term;
    return {sum};
  }

 private:
  Arithmetic<T> arithmetic_;
  Unit<T> numbers_;
  PipelineRunner<Arithmetic<T>> runner_;
};

/// 1/sqrt(variance + eps) of the unit's first norm, after forward; 1 without a norm.
template <class T, class Arithmetic>
T rstd_of(const CompiledPipeline& compiled, const PipelineRunner<Arithmetic>& runner) {
  for (std::size_t side = 0; side < compiled.sides.size(); ++side)
    if (compiled.sides[side].side == NormOutput::rstd) return runner.side_value(side);
  return T(1);
}

/// sum |by| |fine - coarse|; absolute terms, so that differences do not cancel.
inline Real apart(const Values<Real>& fine, const Values<Coarse>& coarse,
                  const Values<double>& by) {
  Real sum(0);
  for (std::size_t i = 0; i < fine.size(); ++i)
    sum += std::abs(by[i]) * abs(fine[i] - Real(coarse[i]));
  return sum;
}
inline double apart(const Values<Quick>& fine, const Values<Rough>& rough,
                    const Values<double>& by) {
  double sum = 0;
  for (std::size_t i = 0; i < fine.size(); ++i)
    sum += std::abs(by[i] * difference(fine[i], rough[i]));
  return sum;
}

/// A sum and the sum of the absolute values of its terms.
struct Summed {
  Real sum{0};
  Real magnitude{0};

  void add(const Real& term) {
    sum += term;
    magnitude += abs(term);
  }
  bool finite() const { return isfinite(sum) && isfinite(magnitude); }
};

}  // namespace gradproof
