// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"
#include "oracles/arithmetic/real.h"
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// "double-double"
std::string name_of(AuditArithmetic arithmetic);

/// What an entry is felt in.
enum class Reach { itself, column, group, all };

/// How all entries of a tensor are moved, one after the other, in one unit.
enum class Method {
  direct,      ///< the unit's value again for each of them
  together,    ///< all at once: each is felt by its own elements only
  statistics,  ///< through the unit's mean and variance, docs/audit.md
};

/// A tensor by which a scalar function L is differentiated.
struct AuditedTensor {
  std::string name;  ///< x, weight, ...
  Shape shape;
  Reach reach = Reach::all;
};

/// Differences D(h) of numbers, by place, in doubles: enough for a verdict where it is plain.
struct Differences {
  Values<Wide> claimed;
  std::vector<double> error;       ///< D(h) - claimed, rounded once
  std::vector<double> self_error;  ///< D(h) - D(2h)
  std::vector<double> jump;        ///< of the slopes

  explicit Differences(std::size_t size)
      : claimed(size), error(size), self_error(size), jump(size) {}
  std::size_t size() const { return claimed.size(); }
  double fine(std::size_t place) const {
    return claimed[place].hi + (claimed[place].mid + error[place]);
  }
  DifferencesInto all() { return {claimed.data(), error.data(), self_error.data(), jump.data()}; }
};

/// L of one unit of a AuditTarget after the other: L is the sum over its units, and what is moved
/// in one unit is felt there. Numbers of a tensor that a unit meets are counted by `place`, from 0.
/// Not for two threads at once.
class PerturbedLoss {
 public:
  virtual ~PerturbedLoss() = default;

  virtual void take_unit(std::int64_t unit) = 0;

  /// How many numbers of the tensor the unit meets, and which entry of the tensor each is.
  virtual std::int64_t count(std::size_t tensor) const = 0;
  virtual std::int64_t entry(std::size_t tensor, std::int64_t place) const = 0;

  /// L(number + move) - L(number), this number alone moved and everything evaluated again. A
  /// number of Reach::itself may be moved by move times a power of two of its own (2^ilogb of
  /// numbers beyond 1): then the change is over that power, so that differences are over `move`,
  /// and is NaN where its own element is not finite at rest, whatever its neighbours are.
  virtual Real change(std::size_t tensor, std::int64_t place, double move) = 0;

  /// The same for every number of the tensor in turn, by place, as the method does it.
  virtual const Values<Real>& changes(std::size_t tensor, double move, Method method) = 0;

  /// change() of one number as the method does it; only Method::direct evaluates everything.
  virtual Real change_by(Method, std::size_t tensor, std::int64_t place, double move) {
    return change(tensor, place, move);
  }

  /// The differences of every number of the tensor against its claim, of order 2(form + 1) at
  /// 2^log2_h (tableau.h); what the method cannot tell is NaN. Nothing: only changes() tell.
  virtual std::optional<Differences> differences(std::size_t /*tensor*/, int /*form*/,
                                                 int /*log2_h*/, Method) {
    return std::nullopt;
  }

  /// The quickest method that this tensor allows in this unit.
  virtual Method quickest(std::size_t tensor) const = 0;

  /// The claimed gradient's terms of this unit, by place.
  virtual const Values<Real>& claimed(std::size_t tensor) = 0;

  /// An exponent of the width over which L changes with the tensor's numbers.
  virtual int log2_scale(std::size_t tensor) = 0;

  /// Sum of |dy y|: what the changes' rounding errors are relative to.
  virtual double magnitude() = 0;

  /// The same of one number's own element, where it is felt by itself (over its width, as changes
  /// are); NaN where nothing is known of it.
  virtual double magnitude_of(std::int64_t place);

  /// Sum of |dy (y' - y)| where one number is moved by the scale on which it acts: how large
  /// gradients of the unit are over that scale, whatever the size of y itself. A gradient is 0
  /// beside this.
  virtual double typical_change() { return magnitude(); }

  /// By how much rounding may part D(h) of order 2(form + 1) at h = 2^log2_h and the claim, at
  /// most; infinite or NaN where it has no bound. 0: nothing is known beyond magnitude().
  virtual Real rounding(std::size_t /*tensor*/, std::int64_t /*place*/, int /*form*/,
                        int /*log2_h*/) {
    return Real(0);
  }

  /// Whether number + move can be told from the number at all: where 50 digits do not hold both,
  /// changes are NaN.
  virtual bool moves(std::size_t, std::int64_t, double) { return true; }

  /// Why the value is not smooth at a number or not defined there (a kink, a domain), as far as
  /// the stages say; empty where they say nothing.
  virtual std::string irregular(std::size_t tensor, std::int64_t place, double move);
};

/// A function that is audited, and the gradient that somebody claims for it. Units come in blocks:
/// an entry of a tensor is felt in units of one block only, or its tensor reaches all of them.
/// Const members may be called by several threads.
class AuditTarget {
 public:
  virtual ~AuditTarget() = default;

  virtual const std::vector<AuditedTensor>& tensors() const = 0;
  virtual std::int64_t blocks() const = 0;
  virtual std::vector<std::int64_t> units_of(std::int64_t block) const = 0;
  /// Whether an entry of the tensor is felt in one unit only.
  virtual bool in_one_unit(std::size_t tensor) const = 0;
  /// Where an entry is felt: its block, and its unit if it is felt in one only (otherwise any).
  virtual std::int64_t block_of(std::size_t tensor, std::int64_t entry) const = 0;
  virtual std::int64_t unit_of(std::size_t tensor, std::int64_t entry) const = 0;
  /// Roughly what evaluating a unit once costs, in elements.
  virtual std::int64_t unit_size() const = 0;
  virtual std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const = 0;
};

}  // namespace gradproof
