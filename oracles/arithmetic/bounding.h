// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/claim.h"
#include "oracles/arithmetic/error_scalar.h"
#include "oracles/arithmetic/error_sum.h"
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
    ErrorSum<F> total;
    for (std::size_t i = 0; i < a.size(); ++i) total.add(a[i] * b[i]);
    return total.sum(contract_.reduction(reduction).chain);
  }

  /// One column's part of a sum over all columns. The contract says by the reduction's length how
  /// it is added: over the columns' own sums (length = columns), or over all elements at once.
  /// Errors that the column's elements share cancel in its part; then columns mix.
  Scalar sum_in_unit(const Values<Scalar>& values) const {
    return folded(sum(values, shares_columns() ? kGradients : kShared));
  }

  /// A sum over the rows where a unit is one row of a group, each summand folded.
  Scalar sum_over_rows(const ErrorSum<F>& rows, bool shared) const {
    const std::string& reduction = shared && !shares_columns() ? kShared : kParameters;
    return rows.sum(contract_.reduction(reduction).chain);
  }

  Scalar sum_over_columns(const ErrorSum<F>& columns) const {
    return columns.sum(shares_columns() ? contract_.reduction(kShared).chain : 0);
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
  Scalar swish_adjoint(const Scalar& dy, const Scalar& z, const Sigmoid& l) const {
    Scalar r = dy * swish_.derivative(z, l);
    // The underflow of dy s times |1 + z (1-s)| <= 1 + |z|.
    if (contract_.cotangent_first) r.e += 2 * F::eta * (1 + std::abs(z.v) + z.total());
    return r;
  }

  /// What was an error of this number alone becomes one that the unit's elements share.
  Scalar shared(const Scalar& value, Symbol symbol) const {
    Scalar r = value;
    r.c[static_cast<std::size_t>(symbol)] += r.e;
    r.e = 0;
    return r;
  }

  /// Forgets what is shared: needed before numbers of different units meet.
  static Scalar folded(const Scalar& value) {
    Scalar r = value;
    r.e = value.total();
    r.c = {};
    return r;
  }

 private:
  bool shares_columns() const { return contract_.reduction(kShared).length == cols_; }

  Scalar added(const Values<Scalar>& values, std::int64_t chain) const {
    ErrorSum<F> total;
    for (const Scalar& v : values) total.add(v);
    return total.sum(chain);
  }

  const Contract& contract_;
  std::int64_t cols_;
  Forms forms_;
  SwishRule<F> swish_;
};

}  // namespace gradproof
