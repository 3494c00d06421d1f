// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "oracles/arithmetic/forms.h"
#include "oracles/diagnosis/edit.h"
#include "oracles/pipeline/stage.h"
#include "oracles/pipeline/stages/logistic.h"

namespace gradproof::diagnosis {

/// On x86 it has 64 bits of precision, more than any kernel's number.
using LongDouble = long double;

/// A number with its rounding error to first order:
///   |computed by a kernel - value| <= unit roundoff * error.
/// Only quotients of two errors are used: the error under a changed formula over the error under
/// the right one is the factor by which the bound of an entry grows.
struct TrackedReal {
  LongDouble value = 0;
  double error = 0;
};

inline TrackedReal exact(LongDouble value) { return {value, 0}; }

inline TrackedReal rounded(LongDouble value, double error) {
  return {value, error + static_cast<double>(std::fabs(value))};
}

inline double size_of(const TrackedReal& a) { return static_cast<double>(std::fabs(a.value)); }

inline TrackedReal operator+(const TrackedReal& a, const TrackedReal& b) {
  return rounded(a.value + b.value, a.error + b.error);
}
inline TrackedReal operator-(const TrackedReal& a, const TrackedReal& b) {
  return rounded(a.value - b.value, a.error + b.error);
}
inline TrackedReal operator*(const TrackedReal& a, const TrackedReal& b) {
  return rounded(a.value * b.value, size_of(a) * b.error + size_of(b) * a.error);
}
inline TrackedReal operator/(const TrackedReal& a, LongDouble b) {
  return rounded(a.value / b, a.error / static_cast<double>(std::fabs(b)));
}

/// A term of a sum that is added in a short chain: its own rounding alone is counted.
inline void add_term(TrackedReal& sum, const TrackedReal& term) {
  sum.value += term.value;
  sum.error += term.error + size_of(term);
}

/// The precision of exp: that of LongDouble; that of a double, nine digits more than a float32; or
/// that of a float32, which explains a float64 kernel that takes the exp of a float32.
enum class Exp { as_long_double, as_double, as_float };

/// The arithmetic in which the oracle's stages do the passes that a kernel's gradient is compared
/// with. Of a changed step it has the change: terms of a norm's adjoint that are missing, another
/// derivative of Swish.
class ReplayArithmetic {
 public:
  using Scalar = TrackedReal;
  using Sigmoid = Logistic<TrackedReal>;
  using Numbers = Values<TrackedReal>;

  ReplayArithmetic(double count, Exp exp, const StepEdit& edit = {})
      : count_(count), exp_(exp), edit_(edit) {}

  /// Of a norm: the input, which may stand for xhat.
  void take_input(const Numbers& x) { x_ = &x; }

  const Forms& forms() const { return forms_; }
  double count() const { return count_; }

  Scalar sum(const Numbers& values, ReductionName) const { return sum_in_unit(values); }
  Scalar sum_in_unit(const Numbers& values) const {
    Scalar sum;
    for (const Scalar& value : values) add_term(sum, value);
    return sum;
  }
  /// sum a b. In a norm's adjoint b is xhat; x where the edit takes x for it.
  Scalar dot(const Numbers& a, const Numbers& b, ReductionName) const {
    const Numbers& second = edit_.raw_sum && x_ != nullptr ? *x_ : b;
    Scalar sum;
    for (std::size_t i = 0; i < a.size(); ++i) add_term(sum, a[i] * second[i]);
    return sum;
  }

  /// The error of the variance is left out: that of rstd is one rounding.
  Statistics<Scalar> statistics(const Numbers& x, double eps) const {
    const Scalar mean = sum_in_unit(x) / count_;
    LongDouble squares = 0;
    for (const Scalar& a : x) squares += (a.value - mean.value) * (a.value - mean.value);
    const Scalar variance = exact(squares / static_cast<LongDouble>(count_));
    return {mean, variance, rstd(variance, eps)};
  }
  Scalar rstd(const Scalar& variance, double eps) const {
    return rounded(1 / std::sqrt(variance.value + eps), 0);
  }

  /// A sum of a norm's adjoint.
  Scalar shared(const Scalar& sum, SharedError symbol) const {
    if (!(symbol == SharedError::first_sum ? edit_.mean : edit_.projection)) return exact(0);
    return edit_.one_less ? Scalar(sum / (LongDouble(count_ - 1) / LongDouble(count_))) : sum;
  }
  Scalar folded(const Scalar& value) const { return value; }

  Sigmoid logistic(const Scalar& z) const {
    const LongDouble e = exp_of(-std::fabs(z.value));
    const LongDouble large = 1 / (1 + e);
    const LongDouble small = e * large;
    const LongDouble s = z.value < 0 ? small : large;
    const LongDouble q = z.value < 0 ? large : small;
    const double moved = static_cast<double>(s * q) * z.error;
    return {{s, moved + 2 * static_cast<double>(s)}, {q, moved + 2 * static_cast<double>(q)}};
  }
  Scalar swish(const Scalar& z, const Sigmoid& l) const { return z * l.s; }
  Scalar swish_adjoint(const Scalar& dy, const Scalar& z, const Sigmoid& l) const {
    return dy * slope(z, l);
  }

 private:
  Scalar slope(const Scalar& z, const Sigmoid& l) const {
    switch (edit_.slope) {
      case Slope::sigmoid:
        return l.s;
      case Slope::product:
        return l.s * (z * l.q);
      case Slope::minus:
        return l.s * (exact(1) - z * l.q);
      case Slope::right:
        break;
    }
    return swish_derivative(z, l);
  }

  /// exp(z) for z <= 0.
  LongDouble exp_of(LongDouble z) const {
    if (exp_ == Exp::as_long_double) return std::exp(z);
    const double narrow = static_cast<double>(z);
    if (exp_ == Exp::as_double) return std::exp(narrow);
    return static_cast<float>(std::exp(static_cast<double>(static_cast<float>(narrow))));
  }

  double count_;  ///< of the unit's numbers
  Exp exp_;
  StepEdit edit_;
  const Numbers* x_ = nullptr;
  Forms forms_;
};

}  // namespace gradproof::diagnosis
