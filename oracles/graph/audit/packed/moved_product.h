// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/stages/stages.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The change of a product by a move of one number of a factor: the move times the numbers of the
/// other factor that it is multiplied with, which are those of the factor's gradient.
template <class T>
class MovedProduct {
 public:
  /// `factor` is the one that moves, 0 or 1, and `other` has the numbers of the other one. The step
  /// and the numbers must outlive this object.
  MovedProduct(const PlanStep& step, std::size_t factor, const FieldNumbers<T>& other)
      : gradient_(step.products[factor + 1]), other_(other) {}

  void move(std::size_t at, const T& by, FieldNumbers<T>& y) const {
    gradient_.each_term(
        at, [&](std::size_t moved, std::size_t other) { y[moved] = y[moved] + by * other_[other]; },
        [](std::int32_t, std::int32_t) {});
  }

 private:
  const SumsOfProducts& gradient_;
  const FieldNumbers<T>& other_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
