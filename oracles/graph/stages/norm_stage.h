// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {

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
  NormStage(const StepContext<A>& context, StoredPart part) : context_(context), a_(context.a) {
    x_ = folded_field<A>(*context.in[0]);
    const double eps = context.plan.scalar(context.s.step->number("eps"));
    for (const auto& group : members_of(context.s.groups)) {
      std::vector<T> numbers;
      for (const std::int64_t i : group) numbers.push_back(x_.v[place(i)]);
      GroupStatistics<T> own = a_.statistics(numbers, eps, centred(), stage());
      own.mean = a_.shared(a_.stored_part(own.mean, stage(), part), SharedError::mean);
      own.rstd = a_.shared(a_.stored_part(own.rstd, stage(), part), SharedError::rstd);
      statistics_.push_back(own);
    }
    for (std::size_t i = 0; i < x_.v.size(); ++i) xhat_.push_back(normalised(i));
  }

  Field<T> value() const {
    Field<T> y;
    y.owner = context_.position;
    for (std::size_t i = 0; i < xhat_.size(); ++i) {
      T v = xhat_[i];
      if (has(1)) v = v * weight(i);
      if (has(2)) v = v + beta(i);
      if constexpr (A::kErrors) v = widened(v, folded(i));
      y.v.push_back(v);
    }
    return y;
  }

  void adjoint(const Field<T>& cotangent, Terms<T>& terms) const {
    const Field<T> dy = folded_unless_own(cotangent);
    std::vector<T> g;
    for (std::size_t i = 0; i < xhat_.size(); ++i)
      g.push_back(has(1) ? T(dy.v[i] * weight(i)) : dy.v[i]);
    if (has(1)) terms[1] = weight_terms(dy);
    if (has(2)) terms[2] = in_coarse_sums(dy);
    terms[0] = input_gradient(g);
  }

 private:
  const std::string& stage() const { return context_.s.step->stage; }
  const T& beta(std::size_t i) const { return context_.at(2, static_cast<std::int64_t>(i)); }

  /// x alpha + (beta - mean alpha), alpha = weight rstd.
  T folded(std::size_t i) const {
    const GroupStatistics<T>& s = statistics_[group(i)];
    const auto kept = [&](const T& v) {
      return a_.stored_part(v, stage(), StoredPart::folded_affine);
    };
    const T alpha = kept(has(1) ? T(weight(i) * s.rstd) : s.rstd);
    if (!centred()) return x_.v[i] * alpha;
    const T shift = kept((has(2) ? beta(i) : T(0)) - s.mean * alpha);
    return x_.v[i] * alpha + shift;
  }

  bool centred() const { return context_.s.step->stage != "rms_norm"; }
  bool has(std::size_t k) const { return context_.has(k); }
  const T& weight(std::size_t i) const { return context_.at(1, static_cast<std::int64_t>(i)); }
  std::size_t group(std::size_t i) const { return place(context_.s.groups.of[i]); }

  /// Each number with the error that the running sums of a coarser type may make of it.
  Field<T> in_coarse_sums(Field<T> terms) const {
    if constexpr (A::kErrors) {
      const double unit = a_.unit_of_parameter_sums(stage());
      const double growth = std::expm1(static_cast<double>(context_.s.summed) * std::log1p(unit));
      for (T& v : terms.v) v.e += growth * v.reach();
    }
    return terms;
  }

  Field<T> folded_unless_own(const Field<T>& f) const {
    return f.owner == context_.position ? f : folded_field<A>(f);
  }

  T normalised(std::size_t i) const {
    const GroupStatistics<T>& s = statistics_[group(i)];
    if (!centred()) return x_.v[i] * s.rstd;
    T plain = (x_.v[i] - s.mean) * s.rstd;
    if constexpr (A::kErrors) {
      plain = widened(plain, T(x_.v[i] * s.rstd - s.mean * s.rstd));
    }
    return plain;
  }

  /// dy xhat, or (dy x - dy mean) rstd. With several elements of a channel in a group (images),
  /// sums of dy x are taken before the mean is taken off them: their roundings are of that size.
  Field<T> weight_terms(const Field<T>& dy) const {
    Field<T> terms;
    terms.owner = context_.position;
    for (std::size_t i = 0; i < xhat_.size(); ++i) {
      T term = dy.v[i] * xhat_[i];
      if constexpr (A::kErrors) {
        const GroupStatistics<T>& s = statistics_[group(i)];
        if (centred()) term = widened(term, T((dy.v[i] * x_.v[i] - dy.v[i] * s.mean) * s.rstd));
        const auto chain = static_cast<double>(context_.s.inner - 1);
        term.e += chain * A::kUnit * dy.v[i].reach() * (x_.v[i].reach() + s.mean.reach()) *
                  s.rstd.reach();
      }
      terms.v.push_back(term);
    }
    return in_coarse_sums(std::move(terms));
  }

  Field<T> input_gradient(const std::vector<T>& g) const {
    const std::int64_t n = context_.s.groups.length;
    const auto size = static_cast<double>(n);
    const auto count = place(context_.s.groups.count);
    std::vector<Sum> first(count), second(count), third(count);
    for (std::size_t i = 0; i < g.size(); ++i) {
      first[group(i)].add(g[i]);
      second[group(i)].add(T(g[i] * xhat_[i]));
      if constexpr (A::kErrors) third[group(i)].add(T(g[i] * x_.v[i]));
    }
    const auto total = [&](const Sum& sum, SharedError symbol) {
      return a_.shared(sum.sum(std::max<std::int64_t>(n - 1, 0)), symbol);
    };
    Field<T> dx;
    dx.owner = context_.position;
    for (std::size_t i = 0; i < g.size(); ++i) {
      const GroupStatistics<T>& s = statistics_[group(i)];
      const T s1 = total(first[group(i)], SharedError::first_sum);
      const T s2 = total(second[group(i)], SharedError::second_sum);
      const auto kept = [&](const T& v) {
        return a_.stored_part(v, stage(), StoredPart::projection);
      };
      const T inner = centred() ? T(g[i] - kept(s1 / size)) : g[i];
      const T taken = kept(xhat_[i] * kept(s2 / size));
      T plain = s.rstd * (inner - taken);
      if constexpr (A::kErrors)
        plain = widened(plain, uncentred(g[i], x_.v[i], s, s1,
                                         total(third[group(i)], SharedError::second_sum), size));
      dx.v.push_back(plain);
    }
    return dx;
  }

  /// rms_norm: rstd g - x mean(g x) rstd^3, in autograd's order (half the cube of rsqrt,
  /// shared out by the mean, times 2 x): each step may underflow. Others:
  /// rstd g + c2 x + c3, c2 = (S1 mean - S2x) rstd^3 / N, c3 = -c2 mean - S1 rstd / N.
  T uncentred(const T& g, const T& x, const GroupStatistics<T>& s, const T& s1, const T& s2x,
              double n) const {
    if (!centred()) {
      const T half = (s2x * (s.rstd * s.rstd * s.rstd)) * T(0.5);
      return s.rstd * g - (half / n) * (x + x);
    }
    const T c2 = (s1 * s.mean - s2x) * s.rstd * s.rstd * s.rstd / n;
    const T c3 = -(c2 * s.mean) - s1 * s.rstd / n;
    return s.rstd * g + c2 * x + c3;
  }

  const StepContext<A>& context_;
  const A& a_;
  Field<T> x_;
  std::vector<GroupStatistics<T>> statistics_;
  std::vector<T> xhat_;
};

}  // namespace gradproof
