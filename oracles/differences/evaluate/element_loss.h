// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/evaluate/exact_move.h"
#include "oracles/differences/evaluate/norm_loss.h"
#include "oracles/differences/evaluate/unit_slice.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// L with one number moved, minus L, for all numbers of a range by one evaluation: all are moved at
/// once. It is correct for numbers that affect no other element, which is checked elsewhere,
/// against the evaluation of whole units. If the pipeline is divided at its norm, only the steps
/// behind xhat are evaluated.
template <class T>
class ElementLoss {
 public:
  /// All arguments must outlive it; the numbers of the unit may change, then call forget().
  ElementLoss(const CompiledPipeline& compiled, const Unit<T>& unit, const Widths<T>& widths,
              NormLoss<T>& statistics)
      : unit_(unit),
        widths_(widths),
        statistics_(statistics),
        divided_(statistics.parts().divided()),
        normed_(has_unit_norm(compiled)),
        slice_(divided_ ? statistics.parts().after : compiled) {}

  void forget(std::int64_t count) { slice_.forget(count); }

  /// x is moved by move * width, and its change is divided by the width, where no norm follows.
  const Values<T>& changes(const Movable& tensor, const PackRange& range, double move) {
    const bool by_width = tensor.input && !normed_;
    if (slice_.take(unit_, divided_ ? statistics_.xhat() : unit_.x, range))
      rest_ = slice_.forward();
    Values<T>& numbers = numbers_of(slice_.unit(), tensor);
    before_ = numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const T by = by_width ? T(widths_.of[range.first + i] * T(move)) : T(move);
      numbers[i] = moved_exactly(numbers[i], by);
    }
    const Values<T>& y = slice_.forward();
    as_long_as(changes_, y);
    for (std::size_t i = 0; i < y.size(); ++i) {
      changes_[i] = slice_.unit().dy[i] * (y[i] - rest_[i]);
      if (by_width) changes_[i] = changes_[i] * widths_.inverse[range.first + i];
    }
    numbers.swap(before_);
    return changes_;
  }

 private:
  const Unit<T>& unit_;
  const Widths<T>& widths_;
  NormLoss<T>& statistics_;
  bool divided_;
  bool normed_;
  UnitSlice<T> slice_;  ///< all steps, or those behind xhat where the pipeline is divided
  Values<T> before_;
  Values<T> rest_;  ///< y of the slice without a move
  Values<T> changes_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
