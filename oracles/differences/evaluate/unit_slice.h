// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/plain.h"
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Some consecutive T's of a unit, for a pipeline in which no element affects another one, so that
/// the other elements need not be evaluated.
template <class T>
class UnitSlice {
 public:
  explicit UnitSlice(const CompiledPipeline& compiled) : runner_({compiled, plain_, unit_}) {}
  UnitSlice(const UnitSlice&) = delete;
  UnitSlice& operator=(const UnitSlice&) = delete;

  /// To be called where the unit has other numbers than before.
  void forget() { last_ = 0; }

  /// Takes the T's [first, last) of `input` as x, and dy and parameters of the same elements.
  /// False: the slice has them already.
  bool take(const Unit<T>& whole, const Values<T>& input, std::size_t first, std::size_t last) {
    if (first == first_ && last == last_) return false;
    first_ = first;
    last_ = last;
    cut(unit_.x, input);
    cut(unit_.dy, whole.dy);
    unit_.numbers.resize(whole.numbers.size());
    for (std::size_t k = 0; k < whole.numbers.size(); ++k)
      if (whole.numbers[k].size() == input.size())
        cut(unit_.numbers[k], whole.numbers[k]);
      else
        unit_.numbers[k] = whole.numbers[k];
    unit_.batches = whole.batches;
    plain_.take_count(static_cast<std::int64_t>(last - first) * kLanesOf<T>);
    return true;
  }

  Unit<T>& unit() { return unit_; }
  Values<T>& numbers_of(const Movable& tensor) {
    return tensor.input ? unit_.x : unit_.numbers[tensor.number];
  }
  const Values<T>& forward() { return runner_.forward(); }

 private:
  void cut(Values<T>& into, const Values<T>& from) const {
    into.resize(last_ - first_);
    for (std::size_t i = first_; i < last_; ++i) into[i - first_] = from[i];
  }

  Plain<T> plain_;
  Unit<T> unit_;
  PipelineRunner<Plain<T>> runner_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
