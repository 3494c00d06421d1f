// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "oracles/arithmetic/real.h"
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/pipeline/compiled_pipeline.h"
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// By how much the rounding of one arithmetic may move a unit's differences and its adjoint: bounds
/// for every order of the sums (rounded.h), infinite or NaN where there is none. A number such as 0
/// leaves no rounding where its neighbours do: the value is read at rest, and with all numbers of
/// the tensor moved by the difference's widest step, up and down in turn.
class UnitRounding {
 public:
  virtual ~UnitRounding() = default;

  /// Of D(h) of order 2(form + 1), h = 2^log2_h, of any number of the tensor.
  virtual Real of_difference(const Movable& tensor, int form, int log2_h) = 0;
  /// The same of a number of x that is felt by its own element only, over its width and moved by
  /// that (PerturbedLoss::change).
  virtual Real of_element(std::int64_t place, int form, int log2_h) = 0;
  /// Of the adjoint; of a number that all elements share the sum of its terms.
  virtual Real of_claim(const Movable& tensor, std::int64_t place, bool shared) = 0;
};

/// The arithmetic after double-doubles, `many`: 400 digits instead of 50. All must outlive it.
std::unique_ptr<UnitRounding> unit_rounding(const CompiledPipeline& compiled,
                                            const Unit<double>& unit, AuditArithmetic arithmetic,
                                            bool many);

}  // namespace gradproof
