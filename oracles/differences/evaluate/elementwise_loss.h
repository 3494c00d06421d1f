// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/evaluate/exact_move.h"
#include "oracles/differences/evaluate/norm_loss.h"
#include "oracles/differences/evaluate/unit_slice.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// What moved numbers do to their own elements, with only these evaluated: dy (y' - y). For numbers
/// that are felt nowhere else (x without a norm in its way, a channel's parameters behind the
/// norm); whether they are not is for somebody to see who evaluates all of the unit.
template <class T>
class ElementwiseLoss {
 public:
  /// All must outlive it.
  ElementwiseLoss(const CompiledPipeline& compiled, const Unit<T>& unit, NormLoss<T>& statistics)
      : normed_(compiled.has_norm() && (compiled.channels || compiled.batch_statistics)),
        unit_(unit),
        statistics_(statistics),
        whole_(compiled),
        behind_(statistics.parts().after) {}

  void forget() {
    whole_.forget();
    behind_.forget();
  }

  /// Whether the elements can be told apart: what lies behind a norm needs all of it to lie there.
  bool allows(const Movable& tensor) const {
    return !normed_ || (!tensor.input && statistics_.parts().divided());
  }

  /// By T's [first, last); `widths` and `per_width` are the unit's, or nullptr: moved by `move`.
  const Values<T>& changes(const Movable& tensor, std::size_t first, std::size_t last, double move,
                           const Values<T>* widths, const Values<T>* per_width) {
    UnitSlice<T>& slice = normed_ ? behind_ : whole_;
    if (slice.take(unit_, normed_ ? statistics_.xhat() : unit_.x, first, last))
      rest_ = slice.forward();
    Values<T>& numbers = slice.numbers_of(tensor);
    before_ = numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = moved_exactly(numbers[i],
                                 widths != nullptr ? T((*widths)[first + i] * T(move)) : T(move));
    const Values<T>& y = slice.forward();
    as_long_as(changes_, y);
    const Values<T>& dy = slice.unit().dy;
    for (std::size_t i = 0; i < y.size(); ++i) {
      changes_[i] = dy[i] * (y[i] - rest_[i]);
      if (per_width != nullptr) changes_[i] = changes_[i] * (*per_width)[first + i];
    }
    numbers.swap(before_);
    return changes_;
  }

 private:
  bool normed_;
  const Unit<T>& unit_;
  NormLoss<T>& statistics_;
  UnitSlice<T> whole_;
  UnitSlice<T> behind_;  ///< of what comes behind xhat
  Values<T> rest_;
  Values<T> before_;
  Values<T> changes_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
