// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <string>

#include "oracles/arithmetic/forms.h"
#include "oracles/arithmetic/lanes.h"
#include "oracles/arithmetic/logistic.h"
#include "oracles/arithmetic/wide_number.h"
#include "oracles/pipeline/unit.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The arithmetic without a bound on errors, in any number type T: 50 digits for the truth, dual
/// numbers for derivatives, double for an estimate. T may hold several numbers (CertifiedOf<Pack>):
/// then Values<T> holds the numbers of a unit lane after lane, the pads of the last T repeat the
/// last number, and a number that the unit has once has equal lanes.
template <class T>
class Plain {
 public:
  using Scalar = T;
  using Sigmoid = typename LogisticResult<T>::Type;
  static constexpr bool kSigmoidIsDear = requires { typename T::backend_type; };  ///< a Boost type

  const Forms& forms() const { return forms_; }

  /// Sets how many numbers the unit has, before a pipeline runs on it.
  void take_count(std::int64_t n) { count_ = n; }
  double count() const { return static_cast<double>(count_); }

  T sum(const Values<T>& values, const std::string&) const { return added(values); }
  T sum_in_unit(const Values<T>& values) const { return added(values); }

  T dot(const Values<T>& a, const Values<T>& b, const std::string&) const {
    return over_all(a.size(), [&](std::size_t i) { return a[i] * b[i]; });
  }

  /// Mean, biased variance (two-pass) and 1/sqrt(variance + eps).
  Statistics<T> statistics(const Values<T>& x, double eps) const {
    const double n = size_of(x);
    const T mean = added(x) / n;
    const T squares = over_all(x.size(), [&](std::size_t i) {
      const T d = x[i] - mean;
      return T(d * d);
    });
    const T variance = squares / n;
    return {mean, variance, rstd(variance, eps)};
  }

  T rstd(const T& variance, double eps) const {
    using std::sqrt;
    return T(1) / sqrt(variance + T(eps));
  }

  [[gnu::always_inline]] Sigmoid logistic(const T& z) const {
    using gradproof::logistic;  // the member's name would hide a T's own
    return logistic(z);
  }
  T swish(const T& z, const Sigmoid& l) const { return gradproof::swish(z, l); }
  T swish_adjoint(const T& dy, const T& z, const Sigmoid& l) const {
    return dy * swish_derivative(z, l);
  }

  T shared(const T& value, SharedError) const { return value; }
  T folded(const T& value) const { return value; }

 private:
  /// Partial sums that take turns, where T holds several numbers, so that additions overlap in
  /// time.
  static constexpr std::size_t kTurns = kLanesOf<T> > 1 ? 4 : 1;

  double size_of(const Values<T>& values) const {
    return kLanesOf<T> > 1 ? count() : static_cast<double>(values.size());
  }

  T added(const Values<T>& values) const {
    return over_all(values.size(), [&](std::size_t i) -> const T& { return values[i]; });
  }

  /// The sum of term(0), term(1), ... in all lanes; the pads of the last term are left out.
  template <class Term>
  T over_all(std::size_t size, const Term& term) const {
    if constexpr (kLanesOf<T> == 1) {
      T total(0);
      for (std::size_t i = 0; i < size; ++i) total += term(i);
      return total;
    } else {
      if (size == 0) return T(0);
      T totals[kTurns] = {T(0), T(0), T(0), T(0)};
      const std::size_t last = size - 1;
      std::size_t i = 0;
      for (; i + kTurns <= last; i += kTurns)
        for (std::size_t k = 0; k < kTurns; ++k) totals[k] += term(i + k);
      for (; i < last; ++i) totals[0] += term(i);
      totals[1] += kept(T(term(last)), count_ - static_cast<std::int64_t>(last) * kLanesOf<T>);
      return sum_of_lanes(T((totals[0] + totals[1]) + (totals[2] + totals[3])));
    }
  }

  std::int64_t count_ = 0;
  Forms forms_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
