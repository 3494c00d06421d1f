// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/normalised.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// True if the step is one of MomentStage.
template <class A>
bool is_moment(const StepContext<A>& context) {
  return context.s.row->of_moments;
}

/// The statistics that a norm keeps of each group of N numbers: var = sum (x - mean)^2/(N -
/// correction), rstd = 1/sqrt(var + eps) with the variance over N. The adjoint of var is dx = dv 2
/// (x - mean)/(N - correction); that of rstd takes dv = -dr rstd^3/2.
template <class A>
class MomentStage {
 public:
  using T = typename A::Scalar;

  explicit MomentStage(const StepContext<A>& context)
      : context_(context), a_(context.a), x_(*context.in[0], kNobody) {}

  Field<T> value() const {
    Field<T> y;
    for (const auto& moments : centred_moments(context_, x_)) {
      const GroupStatistics<T> own = of(moments);
      y.v.push_back(is_var() ? variance(own) : rstd(own));
    }
    return y;
  }

  void adjoint(const Field<T>& y, const Field<T>& cotangent, Terms<T>& terms) const {
    const FoldedField<A> dy(cotangent, kNobody);
    const std::string& name = context_.s.step->value;
    const auto& all = centred_moments(context_, x_);
    terms[0].v.resize(x_.size());
    each_group(context_, [&](std::size_t which, const std::int32_t* group) {
      const T mean = a_.stored(of(all[which]).mean);
      const T slope =
          is_var() ? dy[which] : before_root(dy[which], a_.value_read(y.v[which], name));
      const T factor =
          a_.stored(T(slope * quotient_of(a_.functions, T(T(2) / (count() - correction())))));
      for (std::int64_t k = 0; k < context_.s.groups.length; ++k) {
        const std::size_t i = place(group[k]);
        terms[0].v[i] = factor * a_.stored(T(x_[i] - mean));
      }
    });
  }

 private:
  bool is_var() const { return context_.s.step->stage == "var"; }
  double number(std::string_view key) const {
    return context_.plan.scalar(context_.s.step->number(key));
  }
  double count() const { return static_cast<double>(context_.s.groups.length); }
  double correction() const { return is_var() ? number("correction") : 0; }

  GroupStatistics<T> of(const typename A::Moments& moments) const {
    const double eps = is_var() ? 0 : number("eps");
    return a_.statistics(moments, {eps, true, context_.s.step->stage, context_.contract});
  }

  T variance(const GroupStatistics<T>& own) const {
    return correction() == 0
               ? own.variance
               : T(own.variance *
                   quotient_of(a_.functions, T(T(count()) / (count() - correction()))));
  }
  /// rstd, computed by one operator at a time if each value is stored.
  T rstd(const GroupStatistics<T>& own) const {
    if (!a_.stores_values()) return own.rstd;
    const T root = a_.stored(
        a_.functions.sqrt(a_.stored(T(a_.stored(own.variance) + a_.stored(T(number("eps")))))));
    return quotient_of(a_.functions, T(T(1) / root));
  }
  T before_root(const T& dy, const T& rstd) const {
    const T cube = a_.stored(T(rstd * rstd * rstd));
    return a_.stored(T(a_.stored(T(dy * T(-0.5))) * cube));
  }

  const StepContext<A>& context_;
  const A& a_;
  FoldedField<A> x_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
