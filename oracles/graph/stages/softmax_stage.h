// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// softmax: t / sum t, t = exp(x - m); adjoint y (dy - sum dy y). log_softmax: x - m - log sum t;
/// adjoint dy - exp(y) sum dy. Whatever m is, it cancels in the exact result.
template <class A>
class SoftmaxStage {
 public:
  using T = typename A::Scalar;

  explicit SoftmaxStage(const StepContext<A>& context)
      : context_(context), a_(context.a), is_log_(stage() == "log_softmax") {}

  Field<T> value() const {
    Field<T> y;
    y.owner = context_.position;
    y.v.resize(context_.size());
    const FoldedField<A> x(*context_.in[0], kNobody);
    const std::int64_t length = context_.s.groups.length;
    std::vector<T> powers(place(length));
    each_group(context_, [&](std::size_t, const std::int32_t* group) {
      const auto number = [&](std::int64_t k) -> const T& { return x[place(group[k])]; };
      const T m = exact_of<A>(largest_of(a_, number, length));
      typename A::Sum sum;
      for (std::int64_t k = 0; k < length; ++k) {
        powers[place(k)] = a_.functions.exp(T(number(k) - m));
        sum.add(powers[place(k)]);
      }
      T total = a_.shared(sum.sum(a_.chain_of(length)), SharedError::rstd);
      if (is_log()) {
        total = a_.shared(a_.stored_part(total, stage(), StoredPart::log_sum), SharedError::rstd);
        const T log = a_.shared(a_.functions.log(total), SharedError::mean);
        for (std::int64_t k = 0; k < length; ++k)
          y.v[place(group[k])] = log_form(number(k), m, log);
      } else {
        const T inverse = T(1) / total;
        for (std::int64_t k = 0; k < length; ++k)
          y.v[place(group[k])] = quotient(powers[place(k)], total, inverse);
      }
    });
    return y;
  }

  void adjoint(const Field<T>& y, const Field<T>& cotangent, Terms<T>& terms) const {
    const FoldedField<A> dy(cotangent, context_.position);
    terms[0].owner = context_.position;
    terms[0].v.resize(context_.size());
    const std::int64_t length = context_.s.groups.length;
    each_group(context_, [&](std::size_t, const std::int32_t* group) {
      typename A::Sum sum;
      for (std::int64_t k = 0; k < length; ++k) {
        const std::size_t i = place(group[k]);
        sum.add(is_log() ? dy[i] : T(dy[i] * saved(y, i)));
      }
      const T total = a_.shared(sum.sum(a_.chain_of(length)), SharedError::first_sum);
      for (std::int64_t k = 0; k < length; ++k) {
        const std::size_t i = place(group[k]);
        terms[0].v[i] = term(dy[i], saved(y, i), total);
      }
    });
  }

 private:
  const std::string& stage() const { return context_.s.step->stage; }
  bool is_log() const { return is_log_; }
  T saved(const Field<T>& y, std::size_t i) const {
    return a_.value_read(y.v[i], context_.s.step->value);
  }

  /// A quotient or a product with the reciprocal: one rounding more at most.
  T quotient(const T& t, const T& total, const T& inverse) const {
    if constexpr (A::kErrors) return widened(T(t / total), T(t * inverse));
    return t / total;
  }

  /// (x - m) - log, or x - (m + log), of which log or m + log may be stored.
  T log_form(const T& x, const T& m, const T& log) const {
    if constexpr (A::kErrors) {
      const auto kept = [&](const T& v) { return a_.stored_part(v, stage(), StoredPart::log_sum); };
      return widened(T((x - m) - kept(log)), T(x - kept(T(m + log))));
    } else {
      return (x - m) - log;
    }
  }

  T term(const T& dy, const T& y, const T& total) const {
    if (is_log()) return dy - a_.functions.exp(y) * total;
    const T plain = y * (dy - total);
    if constexpr (A::kErrors) return widened(plain, T(dy * y - y * total));
    return plain;
  }

  const StepContext<A>& context_;
  const A& a_;
  const bool is_log_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
