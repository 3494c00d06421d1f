// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {

/// softmax: t / sum t, t = exp(x - m); adjoint y (dy - sum dy y). log_softmax: x - m - log sum t;
/// adjoint dy - exp(y) sum dy. Whatever m is, it cancels in the exact result.
template <class A>
class SoftmaxStage {
 public:
  using T = typename A::Scalar;

  explicit SoftmaxStage(const StepContext<A>& context) : context_(context), a_(context.a) {}

  Field<T> value() const {
    Field<T> y;
    y.owner = context_.position;
    y.v.resize(context_.size());
    const Field<T> x = folded_field<A>(*context_.in[0]);
    for (const auto& group : members_of(context_.s.groups)) {
      const auto number = [&](std::int64_t k) { return x.v[place(group[place(k)])]; };
      const T m = exact_of<A>(largest_of(a_, number, std::ssize(group)));
      typename A::Sum sum;
      for (const std::int64_t i : group) sum.add(a_.functions.exp(T(x.v[place(i)] - m)));
      T total = a_.shared(sum.sum(context_.s.groups.length - 1), SharedError::rstd);
      if (is_log()) {
        total = a_.shared(a_.stored_part(total, context_.s.step->stage, StoredPart::log_sum),
                          SharedError::rstd);
        const T log = a_.shared(a_.functions.log(total), SharedError::mean);
        for (const std::int64_t i : group) y.v[place(i)] = log_form(x.v[place(i)], m, log);
      } else {
        for (const std::int64_t i : group)
          y.v[place(i)] = quotient(a_.functions.exp(T(x.v[place(i)] - m)), total);
      }
    }
    return y;
  }

  void adjoint(const Field<T>& y, const Field<T>& cotangent, Terms<T>& terms) const {
    const Field<T> dy =
        cotangent.owner == context_.position ? cotangent : folded_field<A>(cotangent);
    terms[0].owner = context_.position;
    terms[0].v.resize(context_.size());
    for (const auto& group : members_of(context_.s.groups)) {
      typename A::Sum sum;
      for (const std::int64_t i : group)
        sum.add(is_log() ? dy.v[place(i)] : T(dy.v[place(i)] * saved(y, i)));
      const T total = a_.shared(sum.sum(context_.s.groups.length - 1), SharedError::first_sum);
      for (const std::int64_t i : group)
        terms[0].v[place(i)] = term(dy.v[place(i)], saved(y, i), total);
    }
  }

 private:
  bool is_log() const { return context_.s.step->stage == "log_softmax"; }
  T saved(const Field<T>& y, std::int64_t i) const { return a_.stored(y.v[place(i)]); }

  /// A product with the reciprocal or a quotient: one rounding more at most.
  T quotient(const T& t, const T& total) const {
    const T plain = t / total;
    if constexpr (A::kErrors) return widened(plain, T(t * (T(1) / total)));
    return plain;
  }

  /// (x - m) - log, or x - (m + log).
  T log_form(const T& x, const T& m, const T& log) const {
    const T plain = (x - m) - log;
    if constexpr (A::kErrors)
      return widened(plain,
                     x - a_.stored_part(T(m + log), context_.s.step->stage, StoredPart::log_sum));
    return plain;
  }

  T term(const T& dy, const T& y, const T& total) const {
    if (is_log()) return dy - a_.functions.exp(y) * total;
    const T plain = y * (dy - total);
    if constexpr (A::kErrors) return widened(plain, T(dy * y - y * total));
    return plain;
  }

  const StepContext<A>& context_;
  const A& a_;
};

}  // namespace gradproof
