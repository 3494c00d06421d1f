// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/evaluate/exact_move.h"
#include "oracles/differences/evaluate/norm_loss.h"
#include "oracles/differences/evaluate/unit_slice.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// dy (y' - y) of the elements whose own numbers move, with only these elements evaluated. Correct
/// for numbers that affect no other element (x without a norm behind it, parameters of a channel
/// behind the norm); that they do not is checked elsewhere, against the evaluation of whole units.
template <class T>
class ElementwiseLoss {
 public:
  /// All arguments must outlive it.
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

  /// Whether elements can be evaluated alone. With a norm: only a parameter, where the pipeline can
  /// be divided at the norm.
  bool allows(const Movable& tensor) const {
    return !normed_ || (!tensor.input && statistics_.parts().divided());
  }

  /// The changes of the T's [first, last), each number moved by move * width and its change divided
  /// by the width; by `move` alone where `widths` and `per_width` are nullptr.
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
  UnitSlice<T> behind_;  ///< the steps behind xhat
  Values<T> rest_;
  Values<T> before_;
  Values<T> changes_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
