// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/dual.h"
#include "oracles/derivatives/rounded.h"
#include "oracles/differences/pipeline_target.h"
#include "oracles/pipeline/gather.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {

/// One unit of a claim in numbers of type T, and a PipelineRunner on them. Tensors are those of the
/// target, by position. Arithmetic is Plain, or in a control an arithmetic whose adjoint is wrong.
template <template <class> class Arithmetic, class T>
class ReadUnit {
 public:
  ReadUnit(const PipelineTarget& target, std::int64_t unit)
      : numbers_(gather<T>(target.claim(), target.inputs(), unit)),
        runner_({target.compiled(), arithmetic_, numbers_}) {
    arithmetic_.take_count(static_cast<std::int64_t>(numbers_.x.size()));
    for (std::size_t k = 0; k < target.tensors().size(); ++k) {
      movable_.push_back(target.movable(k));
      shared_.push_back(target.shared(k));
    }
  }
  ReadUnit(const ReadUnit&) = delete;
  ReadUnit& operator=(const ReadUnit&) = delete;

  Unit<T>& unit() { return numbers_; }
  PipelineRunner<Arithmetic<T>>& runner() { return runner_; }

  Values<T>& numbers_of(std::size_t tensor) {
    return movable_[tensor].input ? numbers_.x : numbers_.numbers[movable_[tensor].number];
  }

  void forward_and_backward() {
    runner_.forward();
    runner_.backward();
  }

  /// After forward and backward: the unit's terms of a tensor's gradient, by place.
  Values<T> gradient(std::size_t tensor) const {
    if (movable_[tensor].input) return runner_.input_gradient();
    const Values<T>& terms = *runner_.gradient(movable_[tensor].number);
    if (!shared_[tensor]) return terms;
    T sum(0);  // a number that all channels share has a term for each of them
    for (const T& term : terms) sum += term;
    return {sum};
  }
  std::vector<Values<T>> gradients() const {
    std::vector<Values<T>> result;
    for (std::size_t k = 0; k < movable_.size(); ++k) result.push_back(gradient(k));
    return result;
  }

 private:
  std::vector<Movable> movable_;
  std::vector<bool> shared_;
  Arithmetic<T> arithmetic_;
  Unit<T> numbers_;
  PipelineRunner<Arithmetic<T>> runner_;
};

/// log2 of the width over which a unit's value changes with the numbers before its first norm,
/// 1/rstd; 0 without a norm, or where that is not a number. After forward.
template <template <class> class Arithmetic, class T>
int log2_norm_width(const PipelineTarget& target, ReadUnit<Arithmetic, T>& unit) {
  const auto& sides = target.compiled().sides;
  for (std::size_t side = 0; side < sides.size(); ++side)
    if (sides[side].side == NormOutput::rstd) {
      const double rstd = real_of(unit.runner().side_value(side)).template convert_to<double>();
      if (std::isfinite(rstd) && rstd > 0) return -std::ilogb(rstd);
    }
  return 0;
}

/// How many numbers of the tensor a unit contains, and the entry of the tensor at a place of a
/// unit.
std::int64_t places(const PipelineTarget& target, std::size_t tensor);
std::int64_t entry_at(const PipelineTarget& target, std::size_t tensor, std::int64_t unit,
                      std::int64_t place);

/// Standard normal numbers, one for each entry of a tensor; returns those of a unit, by place.
Values<double> random_direction(const PipelineTarget& target, std::size_t tensor, std::int64_t unit,
                                std::uint64_t seed);

/// `wanted` of the indices 0 ... count - 1, ascending, one at random from each of `wanted` equal
/// ranges; all indices where there are no more.
std::vector<std::int64_t> spread_over(std::int64_t count, std::int64_t wanted,
                                      const std::string& stream);

}  // namespace gradproof
