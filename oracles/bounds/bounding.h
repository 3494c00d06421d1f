// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/claim/claim.h"
#include "oracles/bounds/error_scalar.h"
#include "oracles/bounds/error_sum.h"
#include "oracles/bounds/statistics_rule.h"
#include "oracles/bounds/swish_rule.h"
#include "oracles/pipeline/unit.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The error arithmetic of a contract. The stages that compute the truth compute, in this
/// arithmetic, the error that a kernel may make. F is the type that the kernel accumulates in. V is
/// double, or Pack: then Values hold the numbers of a unit as those of Plain do.
template <class F, class V = double>
class Bounding {
 public:
  using Scalar = ErrorScalar<F, V>;
  using Sum = ErrorSum<F, V>;
  using Sigmoid = BoundedLogistic<V>;

  explicit Bounding(const Claim& claim)
      : contract_(claim.contract),
        cols_(claim.cols()),
        forms_{contract_.affine_folded, contract_.backward, contract_.running},
        swish_(contract_) {}

  const Forms& forms() const { return forms_; }

  /// Sets how many numbers the unit has, before a pipeline runs on it.
  void take_count(std::int64_t n) { count_ = n; }
  double count() const { return static_cast<double>(count_); }

  Scalar sum(const Values<Scalar>& values, const std::string& reduction) const {
    return over_all(values).sum(contract_.reduction(reduction).chain);
  }

  Scalar dot(const Values<Scalar>& a, const Values<Scalar>& b, const std::string& reduction) const {
    return over_all(a.size(), [&](std::size_t i) { return a[i] * b[i]; })
        .sum(contract_.reduction(reduction).chain);
  }

  /// The part of one column in a sum over all columns. The length of the contract's reduction says
  /// how the parts are added: over the sums of the columns (length = columns), or over all elements
  /// at once. Errors that the elements of a column share may cancel inside this part only.
  Scalar sum_in_unit(const Values<Scalar>& values) const {
    if (shares_columns()) return folded(sum(values, kGradients));
    return folded(
        over_all(values).sum(contract_.reduction(kShared).chain, {.share = all_columns()}));
  }

  /// The exact sum of the numbers that the kernel computed.
  Scalar exact_sum(const Values<Scalar>& values) const { return over_all(values).sum(0); }

  Statistics<Scalar> statistics(const Values<Scalar>& x, double eps) const {
    const std::int64_t chain = contract_.reduction(kStatistics).chain;
    return StatisticsRule<F, V>(contract_, chain)(x, size_of(x), eps);
  }

  /// 1/sqrt(variance + eps) of a variance that is not the result of a reduction; lanes are equal.
  Scalar rstd(const Scalar& variance, double eps) const {
    return Scalar::everywhere(StatisticsRule<F, V>(contract_, 0).rstd(lane(variance, 0), eps));
  }

  [[gnu::always_inline]] Sigmoid logistic(const Scalar& z) const {
    return SwishRule<F, V>::sigmoid(z);
  }
  [[gnu::always_inline]] Scalar swish(const Scalar& z, const Sigmoid& l) const {
    return swish_.value(z, l);
  }
  [[gnu::always_inline]] Scalar swish_adjoint(const Scalar& dy, const Scalar& z,
                                              const Sigmoid& l) const {
    Scalar r = dy * swish_.derivative(z, l);
    // The underflow of dy s times |1 + z (1-s)| <= 1 + |z|.
    if (contract_.cotangent_first) r.e += 2 * F::eta * (1 + abs(z.v) + z.total());
    return r;
  }

  /// The number with its independent error turned into an error that the unit's elements share.
  [[gnu::always_inline]] Scalar shared(const Scalar& value, SharedError symbol) const {
    Scalar r = value;
    r.of(symbol) += r.e;
    r.e = 0;
    return r;
  }

  /// The number with all its error independent, as needed before numbers of two units are added.
  [[gnu::always_inline]] static Scalar folded(const Scalar& value) {
    Scalar r(value.v);
    r.e = value.total();
    r.vacuous = value.vacuous;
    r.overflow = value.overflow;
    return r;
  }

 private:
  bool shares_columns() const { return contract_.reduction(kShared).length == cols_; }

  /// The count of columns in a partial sum at most: if all elements are added at once, it may hold
  /// the large elements of every column, although they cancel in the sum of each column.
  double all_columns() const { return static_cast<double>(cols_); }

  std::int64_t size_of(const Values<Scalar>& values) const {
    return kLanesOf<V> > 1 ? count_ : static_cast<std::int64_t>(values.size());
  }

  Sum over_all(const Values<Scalar>& values) const {
    return over_all(values.size(), [&](std::size_t i) -> const Scalar& { return values[i]; });
  }

  /// The sum of term(0), term(1), ... in all lanes; the pads of the last term are left out.
  template <class Term>
  Sum over_all(std::size_t size, const Term& term) const {
    Sum total;
    if (size == 0) return total;
    const std::size_t last = size - 1;
    for (std::size_t i = 0; i < last; ++i) total.add(term(i));
    const std::int64_t rest = count_ - static_cast<std::int64_t>(last) * kLanesOf<V>;
    total.add(kept(Scalar(term(last)), rest));
    if constexpr (kLanesOf < V >> 1) total = total.joined();
    return total;
  }

  const Contract& contract_;
  std::int64_t cols_;
  std::int64_t count_ = 0;
  Forms forms_;
  SwishRule<F, V> swish_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
