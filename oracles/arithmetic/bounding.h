// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/claim.h"
#include "oracles/arithmetic/error_scalar.h"
#include "oracles/arithmetic/statistics_rule.h"
#include "oracles/arithmetic/swish_rule.h"
#include "oracles/stage.h"

namespace gradproof {

/// The arithmetic of a contract, error by error: the same stages that give the truth give, in this
/// arithmetic, the error that a kernel may make. F is the type that the kernel accumulates in.
template <class F>
class Bounding {
 public:
  using Scalar = ErrorScalar<F>;
  using Sigmoid = Logistic<double>;

  explicit Bounding(const Claim& claim)
      : contract_(claim.contract),
        cols_(claim.cols),
        forms_{contract_.affine_folded, contract_.backward, contract_.running},
        swish_(contract_) {}

  const Forms& forms() const { return forms_; }

  Scalar sum(const Values<Scalar>& values, const std::string& reduction) const {
    return added(values, contract_.reduction(reduction).chain);
  }

  Scalar dot(const Values<Scalar>& a, const Values<Scalar>& b, const std::string& reduction) const {
    Values<Scalar> products;
    products.reserve(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) products.push_back(a[i] * b[i]);
    return sum(products, reduction);
  }

  /// One unit's part of a sum over all units. The contract says by the reduction's length how it is
  /// added: over the units' own sums (length = columns), or over all elements at once.
  Scalar sum_in_unit(const Values<Scalar>& values) const {
    if (nested()) return folded(sum(values, kGradients));
    Values<Scalar> independent;
    independent.reserve(values.size());
    for (const Scalar& v : values) independent.push_back(folded(v));
    return sum(independent, kBiasGradient);
  }

  Scalar sum_of_units(const Values<Scalar>& units) const {
    return added(units, nested() ? contract_.reduction(kBiasGradient).chain : 0);
  }

  /// The sum as someone computes it exactly from the kernel's numbers.
  Scalar exact_sum(const Values<Scalar>& values) const { return added(values, 0); }

  Statistics<Scalar> statistics(const Values<Scalar>& x, double eps) const {
    return StatisticsRule<F>(contract_, contract_.reduction(kStatistics).chain)(x, eps);
  }

  /// From a variance that needs no reduction.
  Scalar rstd(const Scalar& variance, double eps) const {
    return StatisticsRule<F>(contract_, 0).rstd(variance, eps);
  }

  Sigmoid logistic(const Scalar& z) const { return gradproof::logistic(z.v); }
  Scalar swish(const Scalar& z, const Sigmoid& l) const { return swish_.value(z, l); }
  Scalar swish_derivative(const Scalar& z, const Sigmoid& l) const {
    return swish_.derivative(z, l);
  }

  /// What was an error of this number alone becomes one that the unit's elements share.
  Scalar shared(const Scalar& value, Symbol symbol) const {
    Scalar r = value;
    r.c[static_cast<std::size_t>(symbol)] += r.e;
    r.e = 0;
    return r;
  }

  /// Forgets what is shared: needed before numbers of different units meet.
  Scalar folded(const Scalar& value) const {
    Scalar r = value;
    r.e = value.total();
    r.c = {};
    return r;
  }

 private:
  bool nested() const { return contract_.reduction(kBiasGradient).length == cols_; }

  /// Every number goes through at most `chain` inexact additions: (1+u)^g - 1 <= g u (1 + g u).
  Scalar added(const Values<Scalar>& values, std::int64_t chain) const {
    Scalar total;
    double magnitude = 0;
    double finite = 0;
    for (const Scalar& v : values) {
      const double value = total.v + v.v;
      total = Scalar::linear(1, total, 1, v);
      total.v = value;
      magnitude += std::abs(v.v) + v.total();
      if (std::isfinite(v.v)) finite += std::abs(v.v) + v.total();
    }
    const double g = static_cast<double>(chain) * F::u;
    total.e += g * (1 + g) * magnitude;
    // Beside an infinity too: a partial sum of the other sign that overflowed makes it NaN.
    total.overflow = total.overflow || !(finite <= F::largest);
    return total;
  }

  const Contract& contract_;
  std::int64_t cols_;
  Forms forms_;
  SwishRule<F> swish_;
};

}  // namespace gradproof
