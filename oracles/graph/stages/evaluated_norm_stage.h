// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A norm in evaluation, with the statistics that training kept: y = weight xhat + beta,
/// xhat = (x - mean) r, r = 1/sqrt(var + eps). Adjoint: dx = weight r dy, dweight = sum dy xhat,
/// dbeta = sum dy; nothing goes back to mean and var (Ioffe, Szegedy 2015). A folded affine part is
/// x alpha + (beta - mean alpha), alpha = weight r.
template <class A>
class EvaluatedNormStage {
 public:
  using T = typename A::Scalar;

  explicit EvaluatedNormStage(const StepContext<A>& context) : context_(context), a_(context.a) {
    const auto& given = memory_of(context, context.position).given;
    statistics_ = given;
    const auto& means = context.in[kMean]->v;
    const auto& variances = context.in[kVariance]->v;
    for (std::size_t c = given.size(); c < means.size(); ++c)
      statistics_.push_back({A::folded(means[c]), rstd_of(A::folded(variances[c])), T(0)});
  }

  /// The statistics by channel.
  const std::vector<GroupStatistics<T>>& statistics() const { return statistics_; }

  Field<T> value() const {
    return {each([&](std::int64_t i) {
              T v = (at(kInput, i) - mean(i));
              v = kept(v) * rstd(i);
              if (has(kWeight)) v = kept(v) * at(kWeight, i);
              if (has(kBeta)) v = kept(v) + at(kBeta, i);
              return over_forms<A>(
                  forms(FormPart::affine), [&] { return v; }, [&] { return folded_affine(i); });
            }),
            kNobody};
  }

  void adjoint(const Field<T>& cotangent, Terms<T>& terms) const {
    const FoldedField<A> folded_dy(cotangent, kNobody);
    const auto dy = [&](std::int64_t i) -> const T& { return folded_dy[place(i)]; };
    terms[kInput].v = each([&](std::int64_t i) { return input_gradient(i, dy(i)); });
    if (has(kWeight))
      terms[kWeight].v = each([&](std::int64_t i) { return of_sample(weight_term(i, dy(i))); });
    if (has(kBeta)) terms[kBeta].v = each([&](std::int64_t i) { return of_sample(dy(i)); });
  }

 private:
  enum Operand : std::size_t { kInput, kMean, kVariance, kWeight, kBeta };

  bool has(std::size_t k) const { return context_.has(k); }
  FormSet forms(FormPart part) const { return context_.forms(part); }
  T rstd_of(const T& variance) const {
    const T eps(context_.plan.scalar(context_.s.step->number("eps")));
    const T sum = kept(T(variance + eps));
    const T root = a_.functions.sqrt(sum);
    const T rstd = kept(quotient_of(a_.functions, T(T(1) / kept(root))));
    if constexpr (A::kErrors) {  // of an exact 0 it is infinite in every computation
      using V = EstimateOf<T>;
      return select((sum.v == V(0)) & (sum.total() == V(0)), T(V(HUGE_VAL)), rstd);
    }
    return rstd;
  }
  const GroupStatistics<T>& of_channel(std::int64_t i) const {
    const IndexMap& map = context_.s.maps[kMean];
    return statistics_[map.empty() ? place(i) : place(map[place(i)])];
  }
  const T& mean(std::int64_t i) const { return of_channel(i).mean; }
  const T& rstd(std::int64_t i) const { return of_channel(i).rstd; }
  T at(std::size_t k, std::int64_t i) const { return A::folded(context_.at(k, i)); }
  bool keeps(StoredPart part) const { return a_.keeps(context_.s.step->stage, part); }
  T kept(const T& v) const { return keeps(StoredPart::each_operation) ? a_.stored(v) : v; }

  template <class Each>
  FieldNumbers<T> each(const Each& each) const {
    return numbers_by<T>(context_.s.space, each);
  }

  T folded_affine(std::int64_t i) const {
    const T alpha = has(kWeight) ? T(at(kWeight, i) * rstd(i)) : rstd(i);
    const T shift = (has(kBeta) ? at(kBeta, i) : T(0)) - mean(i) * alpha;
    return at(kInput, i) * alpha + shift;
  }

  T input_gradient(std::int64_t i, const T& dy) const {
    const T& r = rstd(i);
    if (!has(kWeight)) return dy * r;
    const T weight = at(kWeight, i);
    return over_forms<A>(
        forms(FormPart::weighting), [&] { return kept(T(dy * weight)) * r; },
        [&] { return dy * kept(T(r * weight)); }, [&] { return kept(T(dy * r)) * weight; });
  }

  T weight_term(std::int64_t i, const T& dy) const {
    const T& r = rstd(i);
    const T apart = kept(T(at(kInput, i) - mean(i)));
    const auto in_sum = [&](const T& term) { return added_first<A>(term, context_.s.summed); };
    // An infinite r makes an infinity of the sum, of terms of both signs NaN.
    const auto after_sum = [&](const T& term) {
      T product = term * r;
      if constexpr (A::kErrors) open_class_where(MaskOf<T>(is_inf(r.v)), product);
      return product;
    };
    return over_forms<A>(
        forms(FormPart::weight_gradient), [&] { return dy * (apart * r); },
        [&] { return after_sum(in_sum(kept(T(dy * apart)))); },
        [&] { return after_sum(in_sum(dy * at(kInput, i)) - in_sum(dy * mean(i))); });
  }

  /// The term with the rounding and the range of its sample's sum, if these sums are stored.
  T of_sample(T term) const {
    if constexpr (A::kErrors)
      if (keeps(StoredPart::sample_sums)) {
        const T most(term.reach() * static_cast<double>(context_.s.summed));
        term.e += a_.functions.storage().unit * term.reach();
        term.overflow = term.overflow | a_.stored(most).overflow;
      }
    return term;
  }

  const StepContext<A>& context_;
  const A& a_;
  std::vector<GroupStatistics<T>> statistics_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
