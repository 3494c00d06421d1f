// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "oracles/arithmetic/plain.h"
#include "oracles/diagnosis/judged_gradient.h"
#include "oracles/pipeline/stage.h"

namespace gradproof::diagnosis {

/// A number with its rounding error to first order:
///   |computed by a kernel - value| <= unit roundoff * error.
/// Only quotients of two errors are used: the error under a changed formula over the error under
/// the right one is the factor by which the bound of an entry grows.
struct TrackedReal {
  LongDouble value = 0;
  double error = 0;

  double size() const { return static_cast<double>(std::fabs(value)); }

  /// Adds a term to a sum that is a short chain: only the rounding of the term itself is counted.
  TrackedReal& operator+=(const TrackedReal& term) {
    value += term.value;
    error += term.error + term.size();
    return *this;
  }
};

using Numbers = Values<TrackedReal>;
using UnitStatistics = Statistics<TrackedReal>;
using UnitNumbers = Unit<TrackedReal>;

inline TrackedReal exact(LongDouble value) { return {value, 0}; }

inline TrackedReal rounded(LongDouble value, double error) {
  return {value, error + static_cast<double>(std::fabs(value))};
}

inline TrackedReal operator+(const TrackedReal& a, const TrackedReal& b) {
  return rounded(a.value + b.value, a.error + b.error);
}
inline TrackedReal operator-(const TrackedReal& a, const TrackedReal& b) {
  return rounded(a.value - b.value, a.error + b.error);
}
inline TrackedReal operator*(const TrackedReal& a, const TrackedReal& b) {
  return rounded(a.value * b.value, a.size() * b.error + b.size() * a.error);
}
inline TrackedReal operator/(const TrackedReal& a, LongDouble b) {
  return rounded(a.value / b, a.error / static_cast<double>(std::fabs(b)));
}

/// A sum of terms plus those of another sum, or less those of a part: no term is rounded again.
inline TrackedReal with_terms(const TrackedReal& sum, const TrackedReal& more) {
  return {sum.value + more.value, sum.error + more.error};
}
inline TrackedReal less_terms(const TrackedReal& sum, const TrackedReal& part) {
  return {sum.value - part.value, sum.error - part.error};
}

/// The precision of exp: that of LongDouble; that of a double, nine digits more than a float32; or
/// that of a float32, which explains a float64 kernel that takes the exp of a float32.
enum class Exp { as_long_double, as_double, as_float };

/// The arithmetic in which the oracle's stages do the passes that a kernel's gradient is compared
/// with.
class ReplayArithmetic : public Plain<TrackedReal> {
 public:
  /// The arithmetic of units with `count` numbers.
  ReplayArithmetic(std::int64_t count, Exp exp) : exp_(exp) { take_count(count); }

  /// The statistics of x. The error of the variance is left out: that of rstd is one rounding.
  UnitStatistics statistics(const Numbers& x, double eps) const {
    const TrackedReal mean = sum_in_unit(x) / count();
    LongDouble squares = 0;
    for (const TrackedReal& a : x) squares += (a.value - mean.value) * (a.value - mean.value);
    const TrackedReal variance = exact(squares / static_cast<LongDouble>(count()));
    return {mean, variance, rstd(variance, eps)};
  }
  TrackedReal rstd(const TrackedReal& variance, double eps) const {
    return rounded(1 / std::sqrt(variance.value + eps), 0);
  }

  Sigmoid logistic(const TrackedReal& z) const {
    const LongDouble e = exp_of(-std::fabs(z.value));
    const LongDouble large = 1 / (1 + e);
    const LongDouble small = e * large;
    const LongDouble s = z.value < 0 ? small : large;
    const LongDouble q = z.value < 0 ? large : small;
    const double moved = static_cast<double>(s * q) * z.error;
    return {{s, moved + 2 * static_cast<double>(s)}, {q, moved + 2 * static_cast<double>(q)}};
  }

 private:
  /// exp(z) for z <= 0.
  LongDouble exp_of(LongDouble z) const {
    if (exp_ == Exp::as_long_double) return std::exp(z);
    const double narrow = static_cast<double>(z);
    if (exp_ == Exp::as_double) return std::exp(narrow);
    return static_cast<float>(std::exp(static_cast<double>(static_cast<float>(narrow))));
  }

  Exp exp_;
};

// Nodes are values: node 0 is x, node k + 1 is the value of step k. The replay assumes that each
// step reads the value of the step before it and that one step at most is a norm; if not, the
// unchanged passes do not agree with the truth (Replay::sound).
inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// A unit of a part of the claim: a column, or a row of a group, of which columns may be missing.
struct ReplayedUnit {
  std::int64_t number = 0;  ///< of the unit in the claim (oracles/pipeline/geometry.h)
  std::size_t column = 0;   ///< position of its first column in Part::columns
  Indices at = {};          ///< row-major indices of its elements in the claim
  UnitNumbers from = {};
  std::optional<UnitStatistics> statistics = {};  ///< those that the norm took; none: no norm
  // The values of the unchanged passes, by node; empty before these have run.
  std::vector<Numbers> values = {};
  std::vector<Numbers> cotangents = {};
};

/// The parameter's number that element i of the unit is computed with.
inline const TrackedReal& number_at(const Numbers& parameter, std::size_t i) {
  return parameter[parameter.size() == 1 ? 0 : i];
}

class ReplayPass;

/// A function that takes a cotangent back through one step.
using Adjoint =
    std::function<Numbers(ReplayPass& pass, std::size_t step, const Numbers& cotangent)>;

/// Two factors of a cotangent that are no node's values: xhat of the norm, and x - mean.
inline constexpr std::size_t kXhat = kNone - 1;
inline constexpr std::size_t kCentered = kNone - 2;

/// The terms of a parameter's gradient: a node's cotangent (kNone: 1) times the value of a node,
/// kXhat or kCentered.
struct Product {
  std::size_t cotangent = kNone;
  std::size_t factor = kNone;
};
/// The cotangent behind the step that uses the parameter, times xhat for a norm's weight and times
/// the input for a scale. The backward pass is that of `pipeline`.
Product right_product(const CompiledPipeline& pipeline, std::size_t slot);

/// The changes that a wrong kernel makes to the pipeline's passes; by default none.
struct Edit {
  std::vector<std::size_t> steps = {};  ///< whose adjoint is another one
  Adjoint adjoint = {};
  std::optional<Product> product = {};              ///< what a parameter's gradient sums
  std::optional<CompiledPipeline> values = {};      ///< that the forward pass does
  std::optional<CompiledPipeline> cotangents = {};  ///< that the backward pass does
  /// Changes the numbers that the passes start from.
  std::function<void(UnitNumbers& from, const ReplayedUnit& unit)> numbers = {};
  /// Changes the value at a node, once it is computed. The norm's statistics stay.
  std::function<void(Numbers& value, std::size_t node, const ReplayedUnit& unit)> value = {};
  std::optional<Exp> exp = {};

  bool keeps_values() const { return !values && !numbers && !value && !exp; }
};

/// Forward and backward passes with an edit, over one unit after the other: the oracle's stages,
/// each for its value and for its adjoint by itself, as a wrong kernel's backward pass need not
/// belong to its forward pass.
class ReplayPass {
 public:
  /// The cotangents in front of node `first` are not computed.
  ReplayPass(const JudgedGradient& of, const Edit& changed, std::size_t first);

  void run(const ReplayedUnit& unit);

  // The value of a node in the unit that ran last.
  const Numbers& value(std::size_t node) const { return *values_[node]; }
  const Numbers& cotangent(std::size_t node) const { return *cotangents_[node]; }
  const std::optional<UnitStatistics>& statistics() const { return statistics_; }
  /// The cotangent that the stage of a step takes back, at its input or at the value of `node`. It
  /// stays valid until the next call for that step.
  const Numbers& adjoint(std::size_t step, const Numbers& cotangent, std::size_t node = kNone);
  /// The value of a node; for kXhat, kCentered and kNone it is xhat, x - mean and 1.
  Numbers factor(std::size_t node) const;
  /// The norm's weight that element i is computed with.
  const TrackedReal& weight(std::size_t i) const {
    return number_at(from_.numbers[at(gradient.norm().numbers[0])], i);
  }

  const JudgedGradient& gradient;
  const Edit& edit;
  const ReplayArithmetic arithmetic;

 private:
  using StagePointer = std::unique_ptr<Stage<ReplayArithmetic>>;
  bool is_edited(std::size_t step) const;

  const CompiledPipeline& forward_;
  const CompiledPipeline& backward_;
  std::size_t first_;
  std::size_t kept_from_ = 0;  ///< from this step on cotangents are those of the unchanged passes
  UnitNumbers from_;           ///< the unit's numbers
  std::vector<StagePointer> value_stages_;
  std::vector<StagePointer> adjoint_stages_;  ///< nullptr: it is the value's
  const ReplayedUnit* right_ = nullptr;       ///< the unit, where all its values are unchanged
  std::vector<const Numbers*> values_;
  std::vector<const Numbers*> cotangents_;
  std::vector<Numbers> changed_values_;      ///< by node
  std::vector<Numbers> changed_cotangents_;  ///< by step
  std::optional<UnitStatistics> statistics_;
};

/// Some entries of the gradient, and the part of the claim that they are computed from.
struct Replay {
  /// All entries that the part decides. Throws InstrumentError for a missing tensor.
  Replay(const JudgedGradient& of, Part rows_and_columns);

  const JudgedGradient& gradient;
  Part part;
  std::vector<ReplayedUnit> units;     ///< by row, then by column
  std::vector<ComparedEntry> entries;  ///< a matrix's unit by unit, a parameter's by column
  /// A parameter's gradient is a sum with a term for each element. By entry, these are the sums of
  /// the terms of the first 0, 1, ... rows; for a gradient of one number also of the first columns.
  std::array<std::vector<Numbers>, 2> sums;
  Numbers right;       ///< the entries that the unchanged passes compute
  bool sound = false;  ///< `right` agrees with the truth, so that changed passes can be trusted

  /// The entries that a wrong kernel has.
  Numbers predict(const Edit& edit) const;

  /// True if each entry belongs to one unit; below, that unit and the entry's element in it.
  bool has_units() const { return gradient.matrix || !(gradient.shared || gradient.is_grouped()); }
  std::size_t unit_of(std::size_t i) const { return i / entries_of_unit(); }
  std::size_t element_of(std::size_t i) const { return i % entries_of_unit(); }

 private:
  std::size_t entries_of_unit() const { return gradient.matrix ? units.front().at.size() : 1; }
  void take_units();
  void take_sums();
};

}  // namespace gradproof::diagnosis
