// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/normalised.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

inline bool is_running(const GraphStage& stage) {
  return stage.axes == StageAxes::rest && stage.form == StageForm::reduces;
}
template <class A>
bool is_running(const StepContext<A>& context) {
  return is_running(*context.s.row);
}

/// The running statistics of BatchNorm after a step of training, with PyTorch's momentum m:
/// (1 - m) old + m new, the new mean, or the new variance
/// sum (x - mean)^2/(N - correction). Nothing goes
/// back.
template <class A>
class RunningStage {
 public:
  using T = typename A::Scalar;

  explicit RunningStage(const StepContext<A>& context)
      : context_(context),
        a_(context.a),
        momentum_(kept(T(context.plan.scalar(context.s.step->number("momentum"))))),
        rest_(kept(T(T(1) - momentum_))) {}

  Field<T> value() const {
    Field<T> y;
    const FoldedField<A> x(*context_.in[0], kNobody);
    const auto& moments = centred_moments(context_, x);
    each_group(context_, [&](std::size_t which, const std::int32_t* group) {
      y.v.push_back(updated(A::folded(context_.at(1, group[0])), fresh(moments[which])));
    });
    return y;
  }

 private:
  const std::string& stage() const { return context_.s.step->stage; }
  T kept(const T& v) const { return a_.stored_part(v, stage(), StoredPart::each_operation); }

  /// The statistic of the group's numbers, without the old one.
  T fresh(const typename A::Moments& moments) const {
    const GroupStatistics<T> own = a_.statistics(moments, {0, true, stage(), context_.contract});
    if (stage() == "running_mean")
      return a_.stored_part(own.mean, stage(), StoredPart::used_statistics);
    const auto n = static_cast<double>(context_.s.groups.length);
    const double correction = context_.plan.scalar(context_.s.step->number("correction"));
    if (correction == 0) return own.variance;
    return own.variance * quotient_of(a_.functions, T(T(n) / (n - correction)));
  }

  T updated(const T& old, const T& fresh) const {
    return over_forms<A>(
        context_.forms(FormPart::update),
        [&] { return kept(T(rest_ * old)) + kept(T(momentum_ * fresh)); },
        [&] { return old + kept(T(momentum_ * kept(T(fresh - old)))); });
  }

  const StepContext<A>& context_;
  const A& a_;
  T momentum_;
  T rest_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
