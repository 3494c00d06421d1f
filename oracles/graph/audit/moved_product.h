// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/stages/stages.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The change of a product y = x weight^T by a move of one number of an operand: the move times the
/// numbers of the other operand that it is multiplied with.
template <class T>
class MovedProduct {
 public:
  /// The step and the operands must outlive this object.
  MovedProduct(const PlanStep& step, const FieldNumbers<T>& x, const FieldNumbers<T>& weight)
      : x_(x),
        weight_(weight),
        width_(place(step.groups.length)),
        rows_(place(step.groups.count)),
        features_(width_ > 0 ? weight.size() / width_ : 0) {}

  void move_input(std::size_t at, const T& by, FieldNumbers<T>& y) const {
    for (std::size_t out = 0; out < features_; ++out)
      add(y[at / width_ * features_ + out], by, weight_[out * width_ + at % width_]);
  }
  void move_weight(std::size_t at, const T& by, FieldNumbers<T>& y) const {
    for (std::size_t row = 0; row < rows_; ++row)
      add(y[row * features_ + at / width_], by, x_[row * width_ + at % width_]);
  }

 private:
  static void add(T& y, const T& by, const T& other) { y = y + by * other; }

  const FieldNumbers<T>& x_;
  const FieldNumbers<T>& weight_;
  std::size_t width_;
  std::size_t rows_;
  std::size_t features_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
