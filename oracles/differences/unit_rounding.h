// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "oracles/arithmetic/real.h"
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/pipeline/compiled_pipeline.h"
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// Bounds on how far the rounding of one arithmetic may move the differences and the adjoint of a
/// unit, for every order of summation (rounded.h); absolute, infinite or NaN where there is no
/// bound.
///
///   bound of D(h) = F (e(L) + e(L moved)) / h,   F = 1, 3/2, 33/20 for D2, D4, D6,
///
/// e the running error bound of one evaluation. "L moved" has all numbers of the tensor moved by
/// the widest step of D(h), up and down in turn, because a number such as 0 leaves no rounding in
/// L.
class UnitRounding {
 public:
  virtual ~UnitRounding() = default;

  /// The bound of D(h), order 2(order_index + 1), h = 2^log2_h, by any number of the tensor.
  virtual Real of_difference(const Movable& tensor, int order_index, int log2_h) = 0;
  /// of_difference() for a number of x that affects its own element only and is moved by its width
  /// (PerturbedLoss::change).
  virtual Real of_element(std::int64_t place, int order_index, int log2_h) = 0;
  /// The bound of the adjoint at a place; the sum over the terms of a number that all elements
  /// share.
  virtual Real of_claim(const Movable& tensor, std::int64_t place, bool shared) = 0;
};

/// For triple-doubles or 50 digits; `many`: for 400 digits instead of 50. Pipeline and unit must
/// outlive the result.
std::unique_ptr<UnitRounding> unit_rounding(const CompiledPipeline& compiled,
                                            const Unit<double>& unit, AuditArithmetic arithmetic,
                                            bool many);

}  // namespace gradproof
