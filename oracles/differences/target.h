// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"
#include "oracles/arithmetic/real_of.h"
#include "oracles/differences/arithmetic.h"
#include "oracles/differences/steps/tableau.h"
#include "oracles/pipeline/unit.h"

namespace gradproof {

inline Real real_of(const Wide& wide) {
  const Real high = Real(wide.hi) + wide.mid;
  return wide.lo == 0 ? high : high + wide.lo;  // lo of a double-double is 0
}

/// The value rounded to three doubles.
inline Wide wide_of(const Digits400& value) {
  Wide wide;
  wide.hi = value.convert_to<double>();
  const Digits400 rest = value - wide.hi;
  wide.mid = rest.convert_to<double>();
  wide.lo = Digits400(rest - wide.mid).convert_to<double>();
  return wide;
}

/// The elements whose value an entry affects.
enum class Reach { itself, column, group, all };

/// The name in reports: "double-double", "column", "together".
std::string name_of(AuditArithmetic arithmetic);
std::string name_of(Reach reach);
std::string name_of(Method method);

/// The reason why L is not smooth: a kink, or the end of its domain, which counts before a kink.
enum class Irregularity { none, kink, domain };

/// A tensor by which a scalar function L is differentiated.
struct AuditedTensor {
  std::string name;  ///< x, weight, ...
  Shape shape;
  Reach reach = Reach::all;
};

/// The loss L of one unit of an AuditTarget, as a function of moved numbers. The loss of the target
/// is the sum over its units; a move in one unit changes that unit's L. `place` counts the numbers
/// of a tensor that the unit contains, from 0. Changes and claims have all digits of the last
/// arithmetic, because those of several units may cancel more than 50. It is not thread-safe.
class PerturbedLoss {
 public:
  virtual ~PerturbedLoss() = default;

  virtual void take_unit(std::int64_t unit) = 0;

  /// The count of the tensor's numbers in the unit, and the entry of the tensor at a place.
  virtual std::int64_t count(std::size_t tensor) const = 0;
  virtual std::int64_t entry(std::size_t tensor, std::int64_t place) const = 0;

  /// L(number + move) - L(number), this number alone moved and the whole unit evaluated again. A
  /// number of Reach::itself may be moved by move * w instead, w its width, a power of two. The
  /// result is then the change / w, so that differences divide by `move` alone; it is NaN where the
  /// number's own element is not finite before the move, for all values of the others.
  virtual Digits400 change(std::size_t tensor, std::int64_t place, double move) = 0;

  /// change() of the numbers at `places`, or without places of every number of the tensor, computed
  /// by the method: one row for each of `moves`. By default each number is moved directly.
  virtual std::vector<Values<Digits400>> changes(std::size_t tensor,
                                                 const std::vector<std::int64_t>& places,
                                                 const std::vector<double>& moves, Method method);

  /// The differences of every number of the tensor, h = 2^log2_step. NaN where the method has no
  /// result. Returns nullopt if the class offers changes() only.
  virtual std::optional<Values<Difference>> differences(std::size_t /*tensor*/,
                                                        const StepChoice& /*step*/, Method) {
    return std::nullopt;
  }

  /// The quickest method that this tensor allows in this unit.
  virtual Method quickest(std::size_t /*tensor*/) const { return Method::direct; }

  /// The part of the claimed gradient that this unit contributes, by place.
  virtual const Values<Digits400>& claimed(std::size_t tensor) = 0;

  /// log2 of the scale of moves: a power of two of the size of the width over which L changes with
  /// the numbers of the tensor.
  virtual int log2_scale(std::size_t tensor) = 0;

  /// sum |dy y|, absolute: rounding errors of the changes are relative to it.
  virtual double magnitude() = 0;

  /// |dy y| / w of the number's own element, for Reach::itself (w as in change()); NaN where it is
  /// not known.
  virtual double magnitude_of(std::int64_t /*place*/) {
    return std::numeric_limits<double>::quiet_NaN();
  }

  /// sum |dy (y' - y)| where one number is moved by the scale on which the tensor's numbers act:
  /// the typical gradient of the unit times that scale, independent of the size of y itself. A
  /// gradient that is far smaller counts as 0.
  virtual double typical_change(std::size_t /*tensor*/) { return magnitude(); }

  /// True if the arithmetic holds number + move exactly; if 400 digits do not, changes are NaN.
  virtual bool moves(std::size_t, std::int64_t, double) { return true; }

  /// The irregularity that the stages report within |move| of the number.
  virtual Irregularity irregular(std::size_t /*tensor*/, std::int64_t /*place*/, double /*move*/) {
    return Irregularity::none;
  }
  /// irregular() of the numbers at `places`.
  virtual std::vector<Irregularity> irregularities(std::size_t tensor,
                                                   const std::vector<std::int64_t>& places,
                                                   double move);
};

/// The scalar function under audit and the gradient that is claimed for it. The function is a sum
/// over units, and units are grouped in blocks: an entry of a tensor affects units of one block
/// only, unless the tensor has Reach::all. Several threads may call const members.
class AuditTarget {
 public:
  virtual ~AuditTarget() = default;

  virtual const std::vector<AuditedTensor>& tensors() const = 0;
  virtual std::int64_t blocks() const = 0;
  virtual std::vector<std::int64_t> units_of(std::int64_t block) const = 0;
  /// True if each entry of the tensor affects one unit only.
  virtual bool in_one_unit(std::size_t tensor) const = 0;
  /// True if L may have kinks. Where an entry affects several units, its step is then chosen by
  /// sums over them: a step that crosses no kink of one unit may cross those of others.
  virtual bool may_bend() const { return false; }
  /// The cost of evaluating one unit once, roughly, in elements.
  virtual std::int64_t unit_size() const = 0;
  virtual std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const = 0;
};

/// The units of all blocks, block by block.
std::vector<std::int64_t> all_units(const AuditTarget& target);

}  // namespace gradproof
