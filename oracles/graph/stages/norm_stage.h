// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// xhat = (x - mean) rstd, y = weight xhat + beta; rms_norm takes no mean off. Adjoint with
/// g = weight dy, S1 = sum g, S2 = sum g xhat over the N numbers of a group:
/// dx = rstd (g - S1/N - xhat S2/N), dweight = sum dy xhat, dbeta = sum dy (Ioffe, Szegedy 2015;
/// Ba, Kiros, Hinton 2016; Wu, He 2018; Zhang, Sennrich 2019).
///
/// Of the forms that occur the larger error counts: the affine part folded into x rstd - mean rstd,
/// and the adjoint that starts from sums of g x (LibTorch's LayerNorm and GroupNorm).
template <class A>
class NormStage {
 public:
  using T = typename A::Scalar;
  using Sum = typename A::Sum;

  /// `part` says which statistics are meant: those that the value takes, or those that were saved.
  NormStage(const StepContext<A>& context, StoredPart part)
      : context_(context),
        a_(context.a),
        centred_(stage() != "rms_norm"),
        x_(*context.in[0], kNobody) {
    const double eps = context.plan.scalar(context.s.step->number("eps"));
    const std::int64_t length = context.s.groups.length;
    std::vector<T> numbers(place(length), T(0));
    xhat_.resize(x_.size());
    each_group(context, [&](std::size_t, const std::int32_t* group) {
      for (std::int64_t k = 0; k < length; ++k) numbers[place(k)] = x_[place(group[k])];
      GroupStatistics<T> own = a_.statistics(numbers, eps, centred_, stage());
      own.mean = a_.shared(a_.stored_part(own.mean, stage(), part), SharedError::mean);
      own.rstd = a_.shared(a_.stored_part(own.rstd, stage(), part), SharedError::rstd);
      statistics_.push_back(own);
      const T shift = own.mean * own.rstd;
      for (std::int64_t k = 0; k < length; ++k) {
        const T& x = numbers[place(k)];
        T& xhat = xhat_[place(group[k])];
        if (!centred_) {
          xhat = x * own.rstd;
          continue;
        }
        xhat = (x - own.mean) * own.rstd;
        if constexpr (A::kErrors) xhat = widened(xhat, T(x * own.rstd - shift));
      }
    });
  }

  Field<T> value() const {
    Field<T> y;
    y.owner = context_.position;
    y.v.reserve(xhat_.size());
    const bool kept = A::kErrors && a_.keeps(stage(), StoredPart::folded_affine);
    for (std::size_t i = 0; i < xhat_.size(); ++i) {
      T v = xhat_[i];
      if (has(1)) v = v * weight(i);
      if (has(2)) v = v + beta(i);
      if constexpr (A::kErrors) v = widened(v, folded(i, kept));
      y.v.push_back(v);
    }
    return y;
  }

  void adjoint(const Field<T>& cotangent, Terms<T>& terms) const {
    const FoldedField<A> dy(cotangent, context_.position);
    if (has(1)) terms[1] = weight_terms(dy);
    if (has(2)) terms[2] = in_coarse_sums(dy.field());
    if (!has(1)) {
      terms[0] = input_gradient(dy.field().v);
      return;
    }
    std::vector<T> g;
    g.reserve(xhat_.size());
    for (std::size_t i = 0; i < xhat_.size(); ++i) g.push_back(dy[i] * weight(i));
    terms[0] = input_gradient(g);
  }

 private:
  const std::string& stage() const { return context_.s.step->stage; }
  const T& beta(std::size_t i) const { return context_.at(2, static_cast<std::int64_t>(i)); }
  bool has(std::size_t k) const { return context_.has(k); }
  const T& weight(std::size_t i) const { return context_.at(1, static_cast<std::int64_t>(i)); }
  std::size_t group(std::size_t i) const { return place(context_.s.groups.of[i]); }

  /// x alpha + (beta - mean alpha), alpha = weight rstd; `kept`: these two are stored.
  T folded(std::size_t i, bool kept) const {
    const GroupStatistics<T>& s = statistics_[group(i)];
    const auto stored = [&](const T& v) { return kept ? a_.stored(v) : v; };
    const T alpha = stored(has(1) ? T(weight(i) * s.rstd) : s.rstd);
    if (!centred_) return x_[i] * alpha;
    const T shift = stored((has(2) ? beta(i) : T(0)) - s.mean * alpha);
    return x_[i] * alpha + shift;
  }

  /// Each number with the error that the running sums of a coarser type may make of it.
  Field<T> in_coarse_sums(Field<T> terms) const {
    if constexpr (A::kErrors)
      for (T& v : terms.v)
        v = a_.in_stored_sum(v, stage(), StoredPart::parameter_sums, context_.s.summed);
    return terms;
  }

  /// dy xhat, or (dy x - dy mean) rstd. With several elements of a channel in a group (images),
  /// sums of dy x are taken before the mean is taken off them: their roundings are of that size.
  Field<T> weight_terms(const FoldedField<A>& dy) const {
    Field<T> terms;
    terms.owner = context_.position;
    terms.v.reserve(xhat_.size());
    const auto chain = static_cast<double>(context_.s.inner - 1);
    for (std::size_t i = 0; i < xhat_.size(); ++i) {
      T term = dy[i] * xhat_[i];
      if constexpr (A::kErrors) {
        const GroupStatistics<T>& s = statistics_[group(i)];
        if (centred_) term = widened(term, T((dy[i] * x_[i] - dy[i] * s.mean) * s.rstd));
        if (chain != 0)
          term.e +=
              chain * A::unit() * dy[i].reach() * (x_[i].reach() + s.mean.reach()) * s.rstd.reach();
      }
      terms.v.push_back(term);
    }
    return in_coarse_sums(std::move(terms));
  }

  Field<T> input_gradient(const std::vector<T>& g) const {
    const std::int64_t n = context_.s.groups.length;
    const auto size = static_cast<double>(n);
    Field<T> dx;
    dx.owner = context_.position;
    dx.v.resize(g.size());
    const bool stores = A::kErrors && a_.keeps(stage(), StoredPart::projection);
    const auto kept = [&](const T& v) { return stores ? a_.stored(v) : v; };
    each_group(context_, [&](std::size_t which, const std::int32_t* group) {
      Sum first, second, third;
      for (std::int64_t k = 0; k < n; ++k) {
        const std::size_t i = place(group[k]);
        first.add(g[i]);
        second.add(T(g[i] * xhat_[i]));
        if constexpr (A::kErrors) third.add(T(g[i] * x_[i]));
      }
      const auto total = [&](const Sum& sum, SharedError symbol) {
        return a_.shared(sum.sum(a_.chain_of(n)), symbol);
      };
      const GroupStatistics<T>& s = statistics_[which];
      const T s1 = total(first, SharedError::first_sum);
      const T mean_g = kept(s1 / size);
      const T mean_gx = kept(kept(total(second, SharedError::second_sum)) / size);
      Uncentred other;
      if constexpr (A::kErrors)
        other = uncentred(s, s1, total(third, SharedError::second_sum), size);
      for (std::int64_t k = 0; k < n; ++k) {
        const std::size_t i = place(group[k]);
        const T taken = kept(xhat_[i] * mean_gx);
        const T inner = centred_ ? kept(g[i] - mean_g) : g[i];
        T plain = s.rstd * kept(inner - taken);
        if constexpr (A::kErrors) plain = widened(plain, other.at(s, g[i], x_[i], centred_));
        dx.v[i] = plain;
      }
    });
    return dx;
  }

  /// The adjoint that starts from sums of g x.
  /// rms_norm: rstd g - x mean(g x) rstd^3, in autograd's order (half the cube of rsqrt,
  /// shared out by the mean, times 2 x): each step may underflow. Others:
  /// rstd g + c2 x + c3, c2 = (S1 mean - S2x) rstd^3 / N, c3 = -c2 mean - S1 rstd / N.
  struct Uncentred {
    T factor{0};  ///< half a part of rms_norm's, or c2
    T shift{0};   ///< c3

    T at(const GroupStatistics<T>& s, const T& g, const T& x, bool centred) const {
      if (!centred) return s.rstd * g - factor * (x + x);
      return s.rstd * g + factor * x + shift;
    }
  };
  Uncentred uncentred(const GroupStatistics<T>& s, const T& s1, const T& s2x, double n) const {
    if (!centred_) return {((s2x * (s.rstd * s.rstd * s.rstd)) * T(0.5)) / n, T(0)};
    const T c2 = (s1 * s.mean - s2x) * s.rstd * s.rstd * s.rstd / n;
    return {c2, -(c2 * s.mean) - s1 * s.rstd / n};
  }

  const StepContext<A>& context_;
  const A& a_;
  const bool centred_;
  FoldedField<A> x_;
  std::vector<GroupStatistics<T>> statistics_;
  std::vector<T> xhat_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
