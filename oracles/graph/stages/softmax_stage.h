// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// softmax: t / sum t, t = exp(x - m); adjoint y (dy - sum dy y). log_softmax: x - m - log sum t;
/// adjoint dy - exp(y) sum dy. Every m cancels in the exact result.
template <class A>
class SoftmaxStage {
 public:
  using T = typename A::Scalar;

  explicit SoftmaxStage(const StepContext<A>& context)
      : context_(context), a_(context.a), empty_(context), is_log_(stage() == "log_softmax") {}

  Field<T> value() const {
    Field<T> y;
    y.owner = context_.position;
    y.v.resize(context_.size());
    const FoldedField<A> x(*context_.in[0], kNobody);
    const std::int64_t length = context_.s.groups.length;
    each_group(context_, [&](std::size_t, const std::int32_t* group) {
      const auto number = [&](std::int64_t k) -> const T& { return x[place(group[k])]; };
      const auto largest = [&](std::int64_t k) { return unmasked(number(k), is_given()); };
      const T m = exact_of<A>(largest_of(a_, largest, length));
      set_group(number, m, [&](std::size_t k) -> T& { return y.v[place(group[k])]; });
      if (empty_.are_settled())
        empty_.settle(
            number, [&](std::int64_t k) -> T& { return y.v[place(group[k])]; }, length);
    });
    return y;
  }

  void adjoint(const Field<T>& y, const Field<T>& cotangent, Terms<T>& terms) const {
    const FoldedField<A> dy(cotangent, context_.position);
    terms[0].owner = context_.position;
    terms[0].v.resize(context_.size());
    const std::int64_t length = context_.s.groups.length;
    each_group(context_, [&](std::size_t, const std::int32_t* group) {
      const MaskOf<T> open = has_open(group);
      const MaskOf<T> known = has_known(y, group);
      typename A::Sum sum = a_.new_sum();
      for (std::int64_t k = 0; k < length; ++k) {
        const std::size_t i = place(group[k]);
        sum.add(is_log() ? dy[i] : product(dy[i], saved(y, i)));
      }
      const T total =
          a_.shared(sum.sum(context_.chain_of(SumRole::gradients, length)), SharedError::first_sum);
      for (std::int64_t k = 0; k < length; ++k) {
        const std::size_t i = place(group[k]);
        const MaskOf<T> masked = known & is_masked(context_.in[0]->v[i], is_given());
        terms[0].v[i] = term(dy[i], low_or_open(saved(y, i), open), total, masked);
      }
      const auto number = [&](std::int64_t k) -> const T& {
        return context_.in[0]->v[place(group[k])];
      };
      const auto to = [&](std::int64_t k) -> T& { return terms[0].v[place(group[k])]; };
      follow_maximum(context_, number, to, T(0));
      if (empty_.are_settled()) empty_.settle(number, to, length);
    });
  }

 private:
  const std::string& stage() const { return context_.s.step->stage; }
  bool is_log() const { return is_log_; }
  T saved(const Field<T>& y, std::size_t i) const {
    return a_.value_read(y.v[i], context_.s.step->value);
  }

  /// True where a group's logarithms may have left the range otherwise than below 0: one of its
  /// numbers may be anything, or an exponential may overflow.
  MaskOf<T> has_open(const std::int32_t* group) const {
    MaskOf<T> open = false;
    if constexpr (A::kErrors) {
      if (!is_log()) return open;
      open = forms(FormPart::maximum).has(Exponentials<A>::kUnsubtracted);
      for (std::int64_t k = 0; k < context_.s.groups.length; ++k)
        open = open | is_open((*context_.in[0]).v[place(group[k])]);
    }
    return open;
  }

  /// True where a logarithm of a group, and so the sum, is known; of masked numbers it is -Inf.
  MaskOf<T> has_known(const Field<T>& y, const std::int32_t* group) const {
    MaskOf<T> known = false;
    if constexpr (requires(const T& t) { t.radius; })
      for (std::int64_t k = 0; is_log() && k < context_.s.groups.length; ++k)
        known = known | y.v[place(group[k])].decided();
    return known;
  }
  bool is_given() const { return context_.in[0]->is_given; }

  FormSet forms(FormPart part) const { return context_.forms(part); }

  /// Sets value(k) to a group's values by the forms of its exponentials.
  template <class Numbers, class Value>
  void set_group(const Numbers& number, const T& m, const Value& value) const {
    const Exponentials<A> found(context_, number, m, [](const T& v) { return v; });
    each_result(number, m, found.powers(), found.sum(),
                [&](std::size_t k, const T& first) { value(k) = first; });
    if constexpr (A::kErrors) {
      const FormSet permitted = forms(FormPart::maximum);
      const auto take = [&](int form, const T& by_m, const std::vector<T>& powers, const T& sum) {
        each_result(number, by_m, powers, sum, [&](std::size_t k, const T& by_form) {
          add_form(value(k), permitted, form, by_form);
        });
      };
      if (permitted.has(found.kOnline)) take(found.kOnline, m, found.powers(), found.online_sum());
      if (permitted.has(found.kBase2)) take(found.kBase2, m, found.base2(), found.base2_sum());
      if (permitted.has(found.kUnsubtracted))
        take(found.kUnsubtracted, T(0), found.unsubtracted(), found.unsubtracted_sum());
    }
  }

  /// Calls put(k, value) for each number, with the value from exp(x - m) and their sum.
  template <class Numbers, class Put>
  void each_result(const Numbers& number, const T& m, const std::vector<T>& powers, const T& sum,
                   const Put& put) const {
    T total = a_.shared(sum, SharedError::rstd);
    if (is_log()) {
      total = a_.shared(a_.stored_part(total, stage(), StoredPart::log_sum), SharedError::rstd);
      const T log = a_.shared(a_.functions.log(total), SharedError::mean);
      for (std::size_t k = 0; k < powers.size(); ++k)
        put(k, log_form(number(static_cast<std::int64_t>(k)), m, log));
      return;
    }
    const T inverse = quotient_of(a_.functions, T(T(1) / total));
    for (std::size_t k = 0; k < powers.size(); ++k) {
      const T& t = powers[k];
      put(k, over_forms<A>(
                 forms(FormPart::quotient), [&] { return quotient_of(a_.functions, T(t / total)); },
                 [&] { return T(t * inverse); }));
    }
  }

  /// (x - m) - log, or x - (m + log), of which log or m + log may be stored.
  T log_form(const T& x, const T& m, const T& log) const {
    const auto kept = [&](const T& v) { return a_.stored_part(v, stage(), StoredPart::log_sum); };
    const T y = over_forms<A>(
        forms(FormPart::logarithm), [&] { return T((x - m) - kept(log)); },
        [&] { return T(x - kept(T(m + log))); });
    if constexpr (A::kErrors) return low_as_it_is(y, x, m, log);
    return y;
  }

  /// At the end of the range: a number so low that m and the logarithm vanish in it. Let z be the
  /// computed x, and d what is taken off it in one or two subtractions, together less than u |z|/2.
  /// Half the distance from z to its neighbours is at least u |z|/2, so that each subtraction gives
  /// z again: what is computed is z, off by what x is off by and by d, and it leaves no range.
  /// Twice d leaves room for what is rounded in d, in 16 bits too.
  T low_as_it_is(const T& y, const T& x, const T& m, const T& log) const requires(A::kErrors) {
    using V = EstimateOf<T>;
    if (!any(y.overflow)) [[likely]]
      return y;
    const V off = 2 * (m.reach() + log.reach());
    const MaskOf<T> is_low = y.overflow & MaskOf<T>(off < V(A::unit() / 2) * abs(x.v)) &
                             is_finite(x.v) & MaskOf<T>(!(x.vacuous | x.overflow));
    T low = x;
    low.v = y.v;
    low.e += off;
    return select(is_low, low, y);
  }

  /// The term of dx of one number; where `masked`, the logarithm y is -Inf.
  T term(const T& dy, const T& y, const T& total, const MaskOf<T>& masked) const {
    if (is_log()) {
      T power = a_.functions.exp(y);
      if constexpr (requires { power.radius; }) power = select(masked, T(0), power);
      return dy - power * total;
    }
    return over_forms<A>(
        forms(FormPart::projection), [&] { return y * (dy - total); },
        [&] { return T(product(dy, y) - y * total); });
  }
  /// dy y, one operator in LibTorch on a GPU (SoftMax.cu, softmax_backward_cuda_out).
  T product(const T& dy, const T& y) const { return a_.stored(T(dy * y)); }

  const StepContext<A>& context_;
  const A& a_;
  const EmptyGroups<A> empty_;
  const bool is_log_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
