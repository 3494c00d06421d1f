// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "core/instruction_set.h"
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// UnitLoss in vectors of double-doubles or triple-doubles, compiled for several instruction sets.
/// Results by element are written to `into`, an array of as many numbers as the unit has elements.
class PackedLoss {
 public:
  virtual ~PackedLoss() = default;

  /// Parameters, whenever they change and before the first unit.
  virtual void take_numbers(const Unit<double>& numbers) = 0;
  /// x and dy of a unit, `count` numbers each.
  virtual void take_unit(const double* x, const double* dy, std::int64_t count) = 0;

  virtual Wide change(const Movable& tensor, std::int64_t place, double move) = 0;
  /// How many numbers adjoint() writes for the tensor.
  virtual std::int64_t terms(const Movable& tensor) const = 0;
  /// Whether the changes of a tensor's numbers can be computed element by element, through the
  /// statistics of the norm or without them (UnitLoss::changes).
  virtual bool by_element(const Movable& tensor, bool through_statistics) const = 0;
  /// Where by_element(): the change of one number, or of all; NaN as in UnitLoss::changes.
  virtual Wide change_of_element(const Movable& tensor, bool through_statistics, std::int64_t place,
                                 double move) = 0;
  virtual void changes_of_elements(const Movable& tensor, bool through_statistics, double move,
                                   Wide* into) = 0;
  /// Where by_element(): the differences and the adjoint, order 2(order_index + 1), h = 2^log2_h.
  virtual void differences(const Movable& tensor, bool through_statistics, int order_index,
                           int log2_h, const DifferencesInto& into) = 0;
  /// Differences from changes by +h, -h, +2h, -2h, +4h, ...: `count` numbers of each, one move
  /// after the other. `into.claimed` holds the claims.
  virtual void tabled(const Wide* changes, std::int64_t count, int order_index, int log2_h,
                      const DifferencesInto& into) const = 0;
  virtual void changes_together(const Movable& tensor, double move, Wide* into) = 0;
  virtual void adjoint(const Movable& tensor, Wide* into) = 0;
  virtual double rstd() = 0;
  /// max |z| rstd over the inputs z of the first norm (UnitLoss).
  virtual double condition() = 0;
  virtual double magnitude() = 0;
  virtual double magnitude_of(std::int64_t place) = 0;
  virtual double absolute_change(const Movable& tensor, std::int64_t place, double move) = 0;
};

/// The pipeline must outlive the result. Null for 50 digits, which have no packed form. Each
/// compilation of packed_loss.cpp defines that of its instruction set.
template <InstructionSet set>
std::unique_ptr<PackedLoss> packed_loss_of(const CompiledPipeline&, AuditArithmetic);

using PackedLossCompilation =
    Compilation<std::unique_ptr<PackedLoss> (*)(const CompiledPipeline&, AuditArithmetic)>;
std::vector<PackedLossCompilation> packed_loss_compilations();

/// In the widest compilation that this CPU can run. Throws InstrumentError for 50 digits.
std::unique_ptr<PackedLoss> packed_loss(const CompiledPipeline& compiled,
                                        AuditArithmetic arithmetic);

}  // namespace gradproof
