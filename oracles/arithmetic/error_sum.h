// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>

#include "oracles/arithmetic/error_scalar.h"

namespace gradproof {

/// The error of a sum as its summands come in: every number goes through at most `chain` inexact
/// additions, (1+u)^g - 1 <= g u (1 + g u).
template <class F>
class ErrorSum {
 public:
  using Scalar = ErrorScalar<F>;

  void add(const Scalar& v) {
    total_.v += v.v;
    total_.e += v.e;
    for (std::size_t k = 0; k < kSymbols; ++k) total_.c[k] += v.c[k];
    total_.vacuous = total_.vacuous || v.vacuous;
    total_.overflow = total_.overflow || v.overflow;
    const double magnitude = std::abs(v.v) + v.total();
    magnitude_ += magnitude;
    if (std::isfinite(v.v)) finite_ += magnitude;
  }

  /// Summands that are gone through the same chain.
  void add(const ErrorSum& other) {
    const double magnitude = magnitude_ + other.magnitude_;
    const double finite = finite_ + other.finite_;
    add(other.total_);
    magnitude_ = magnitude;
    finite_ = finite;
  }

  Scalar sum(std::int64_t chain) const {
    Scalar r = total_;
    const double g = static_cast<double>(chain) * F::u;
    if (chain > 0) r.e += g * (1 + g) * magnitude_;
    // Beside an infinity too: a partial sum of the other sign that overflowed makes it NaN.
    r.overflow = r.overflow || !(finite_ <= F::largest);
    return r;
  }

 private:
  Scalar total_;
  double magnitude_ = 0;
  double finite_ = 0;  ///< of the finite summands
};

}  // namespace gradproof
