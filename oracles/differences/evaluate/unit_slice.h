// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/arithmetic/plain.h"
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Consecutive T's of a unit, [first, last).
struct PackRange {
  std::size_t first = 0;
  std::size_t last = 0;

  std::size_t size() const { return last - first; }
  bool operator==(const PackRange&) const = default;
};

/// The numbers of a tensor in a unit.
template <class T>
Values<T>& numbers_of(Unit<T>& unit, const Movable& tensor) {
  return tensor.input ? unit.x : unit.numbers[tensor.number];
}

/// Some consecutive T's of a unit, for a pipeline in which no element affects another one, so that
/// the other elements need not be evaluated; or all of them, for any pipeline.
template <class T>
class UnitSlice {
 public:
  explicit UnitSlice(const CompiledPipeline& compiled) : runner_({compiled, plain_, unit_}) {}
  UnitSlice(const UnitSlice&) = delete;
  UnitSlice& operator=(const UnitSlice&) = delete;

  /// Must be called when the unit has other numbers than before; `count` is its number of elements,
  /// if sums are taken over them.
  void forget(std::int64_t count = std::numeric_limits<std::int64_t>::max()) {
    range_ = {};
    count_ = count;
  }

  /// Takes the T's of `input` in the range as x, and dy and parameters of the same elements. False:
  /// the slice has them already.
  bool take(const Unit<T>& whole, const Values<T>& input, const PackRange& range) {
    if (range == range_) return false;
    range_ = range;
    cut(unit_.x, input);
    cut(unit_.dy, whole.dy);
    unit_.numbers.resize(whole.numbers.size());
    for (std::size_t k = 0; k < whole.numbers.size(); ++k)
      if (whole.numbers[k].size() == input.size())
        cut(unit_.numbers[k], whole.numbers[k]);
      else
        unit_.numbers[k] = whole.numbers[k];
    unit_.batches = whole.batches;
    const std::int64_t lanes = static_cast<std::int64_t>(range.size()) * kLanesOf<T>;
    plain_.take_count(lanes < count_ ? lanes : count_);
    return true;
  }

  Unit<T>& unit() { return unit_; }
  const Values<T>& forward() { return runner_.forward(); }

 private:
  void cut(Values<T>& into, const Values<T>& from) const {
    into.resize(range_.size());
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = from[range_.first + i];
  }

  Plain<T> plain_;
  Unit<T> unit_;
  PipelineRunner<Plain<T>> runner_;
  PackRange range_;
  std::int64_t count_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
