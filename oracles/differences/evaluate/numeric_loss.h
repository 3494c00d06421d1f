// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "core/instruction_set.h"
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/differences/steps/tableau.h"
#include "oracles/pipeline/unit.h"

namespace gradproof {

struct CompiledPipeline;

/// The loss of one unit in one arithmetic, behind results that are plain data, so that it may be
/// compiled for any instruction set: R is Wide for packs of double-doubles and triple-doubles, and
/// Digits400. `place` counts the tensor's numbers in the unit.
template <class R>
class NumericLoss {
 public:
  virtual ~NumericLoss() = default;

  /// Takes all numbers of a unit, and evaluates it.
  virtual void take_unit(const Unit<double>& unit) = 0;

  /// True if the changes of a tensor's numbers can be computed by the method.
  virtual bool allows(const Movable& tensor, Method method) const = 0;

  /// PerturbedLoss::change of one number; by Method::direct if the method is not allowed. NaN if
  /// only Method::direct has a result.
  virtual R change(const Movable& tensor, Method method, std::int64_t place, double move) = 0;
  /// Computes change() of all numbers; by the whole unit if Method::together is not allowed.
  /// Method::statistics must be allowed.
  virtual void changes(const Movable& tensor, Method method, double move, R* into) = 0;

  /// The differences of all numbers, and their claims. Returns false if the arithmetic or the
  /// method has none, or if the tensor's claims have several terms.
  virtual bool differences(const Movable& tensor, Method method, const StepChoice& step,
                           Difference* into) = 0;

  /// The count of numbers that adjoint() writes: d_x, or the terms of a parameter's gradient.
  virtual std::int64_t terms(const Movable& tensor) const = 0;
  virtual void adjoint(const Movable& tensor, R* into) = 0;

  /// 1/sqrt(variance + eps) of the first norm; 1 without one.
  virtual double rstd() const = 0;
  /// max |z| rstd over the inputs z of the first norm: the roundings of xhat that one rounding of z
  /// amounts to. 0 where the norm does not use the statistics of the unit.
  virtual double condition() const = 0;
  /// sum |dy y|, and |dy y| / width of one element (PerturbedLoss::magnitude_of).
  virtual double magnitude() const = 0;
  virtual double magnitude_of(std::int64_t place) const = 0;
  /// sum |dy (y' - y)| with one number moved.
  virtual double absolute_change(const Movable& tensor, std::int64_t place, double move) = 0;
};

/// The loss in packs; null for 400 digits. The pipeline must outlive the result. Each compilation
/// of packed_loss.cpp defines this function for its instruction set.
template <InstructionSet set>
std::unique_ptr<NumericLoss<Wide>> packed_loss_of(const CompiledPipeline&, AuditArithmetic);

using PackedLossCompilation =
    Compilation<std::unique_ptr<NumericLoss<Wide>> (*)(const CompiledPipeline&, AuditArithmetic)>;
std::vector<PackedLossCompilation> packed_loss_compilations();

/// The loss of the widest compilation that this CPU runs. Throws InstrumentError for 400 digits.
std::unique_ptr<NumericLoss<Wide>> packed_loss(const CompiledPipeline&, AuditArithmetic);

}  // namespace gradproof
