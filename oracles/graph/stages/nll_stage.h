// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The negative log likelihood's mean: -(sum of x[row, label])/N over all rows.
template <class A>
class NllStage {
 public:
  using T = typename A::Scalar;

  /// `chosen` has, for each row, the place that its label says.
  NllStage(const StepContext<A>& context, const IndexMap& chosen)
      : context_(context), chosen_(chosen), rows_(std::ssize(chosen)) {}

  Field<T> value() const {
    typename A::Sum sum = context_.a.new_sum();
    for (const std::int32_t i : chosen_) sum.add(in_sum(context_.at(0, i)));
    T total = sum.sum(chain());
    if constexpr (A::kErrors) total.overflow = total.overflow | may_leave_range();
    return {{-over_rows(total)}, kNobody};
  }

  void adjoint(const Field<T>& dy, Terms<T>& terms) const {
    terms[0].v.assign(context_.size(), T(0));
    for (const std::int32_t i : chosen_) terms[0].v[place(i)] = -over_rows(dy.v[0]);
  }

 private:
  const std::string& stage() const { return context_.s.step->stage; }

  std::int64_t chain() const { return context_.chain_of(SumRole::value, rows_); }

  T in_sum(const T& x) const {
    if constexpr (A::kErrors)
      return context_.a.in_stored_sum(x, stage(), StoredPart::loss_sum, chain());
    return x;
  }

  /// True if a partial sum may be beyond the storage type.
  MaskOf<T> may_leave_range() const requires(A::kErrors) {
    T sizes(0);
    for (const std::int32_t i : chosen_) {
      const T& x = context_.at(0, i);
      sizes.v += select(is_finite(x.v), x.reach(), EstimateOf<T>(0));
    }
    return context_.a.stored_part(sizes, stage(), StoredPart::loss_sum).overflow;
  }

  T over_rows(const T& v) const {
    const T plain = quotient_of(context_.a.functions, T(v / static_cast<double>(rows_)));
    if constexpr (A::kErrors)
      return widened(plain, T(v / context_.a.count(rows_, stage(), StoredPart::loss_sum)));
    return plain;
  }

  const StepContext<A>& context_;
  const IndexMap& chosen_;
  std::int64_t rows_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
