// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/normalised.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// xhat = (x - mean) rstd, y = weight xhat + beta; rms_norm takes no mean off. Adjoint with
/// g = weight dy, S1 = sum g, S2 = sum g xhat over the N numbers of a group:
/// dx = rstd (g - S1/N - xhat S2/N), dweight = sum dy xhat, dbeta = sum dy (Ioffe, Szegedy 2015;
/// Ba, Kiros, Hinton 2016; Wu, He 2018; Zhang, Sennrich 2019). Other forms of the same stand in
/// form_rows(): LibTorch's LayerNorm and GroupNorm have the uncentered adjoint.
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
        keeps_projection_(a_.keeps(stage(), StoredPart::projection)),
        stores_products_(keeps_projection_ && a_.keeps(stage(), StoredPart::parameter_sums)),
        x_(*context.in[0], kNobody) {
    Normalised<T>& kept = memory_of(context, context.position).normalised;
    const bool saves_others = a_.keeps(stage(), StoredPart::saved_statistics) !=
                              a_.keeps(stage(), StoredPart::used_statistics);
    const bool is_kept =
        part == StoredPart::saved_statistics && !saves_others && !kept.xhat.empty();
    normalised_ = is_kept ? std::move(kept) : normalised(context, x_, centred_, part);
  }

  /// Leaves what it was computed from to the adjoint; nothing else is asked of this stage.
  Field<T> value() {
    Field<T> y = affine();
    memory_of(context_, context_.position).normalised = std::move(normalised_);
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
    g.reserve(normalised_.xhat.size());
    for (std::size_t i = 0; i < normalised_.xhat.size(); ++i) g.push_back(dy[i] * weight(i));
    terms[0] = input_gradient(g);
  }

 private:
  Field<T> affine() const {
    Field<T> y;
    y.owner = context_.position;
    y.v.reserve(normalised_.xhat.size());
    const bool kept = A::kErrors && a_.keeps(stage(), StoredPart::folded_affine);
    for (std::size_t i = 0; i < normalised_.xhat.size(); ++i) {
      T v = normalised_.xhat[i];
      if (has(1)) v = v * weight(i);
      if (has(2)) v = v + beta(i);
      y.v.push_back(of_forms<A>(
          forms(FormPart::affine), [&] { return v; }, [&] { return folded(i, kept); }));
    }
    return y;
  }

  const std::string& stage() const { return context_.s.step->stage; }
  const T& beta(std::size_t i) const { return context_.at(2, static_cast<std::int64_t>(i)); }
  bool has(std::size_t k) const { return context_.has(k); }
  FormSet forms(FormPart part) const { return context_.contract.of(part); }
  const T& weight(std::size_t i) const { return context_.at(1, static_cast<std::int64_t>(i)); }
  std::size_t group(std::size_t i) const { return place(context_.s.groups.of[i]); }

  /// x alpha + (beta - mean alpha), alpha = weight rstd; `kept`: these two are stored.
  T folded(std::size_t i, bool kept) const {
    const GroupStatistics<T>& s = normalised_.statistics[group(i)];
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

  /// With several elements of a channel in a group (images), sums of dy x are taken before the mean
  /// is taken off them: their roundings are of that size.
  Field<T> weight_terms(const FoldedField<A>& dy) const {
    Field<T> terms;
    terms.owner = context_.position;
    terms.v.reserve(normalised_.xhat.size());
    const auto chain = static_cast<double>(context_.s.inner - 1);
    for (std::size_t i = 0; i < normalised_.xhat.size(); ++i) {
      const GroupStatistics<T>& s = normalised_.statistics[group(i)];
      T term = of_forms<A>(
          forms(FormPart::weight_gradient), [&] { return dy[i] * normalised_.xhat[i]; },
          [&] { return product_apart(dy[i], i) * s.rstd; },
          [&] {
            const T product = dy[i] * x_[i];
            return (centred_ ? product - dy[i] * s.mean : product) * s.rstd;
          });
      if constexpr (A::kErrors)
        if (chain != 0 && forms(FormPart::weight_gradient).has(kUncentered))
          term.e +=
              chain * A::unit() * dy[i].reach() * (x_[i].reach() + s.mean.reach()) * s.rstd.reach();
      terms.v.push_back(term);
    }
    return in_coarse_sums(std::move(terms));
  }
  /// dy (x - mean). LibTorch's BatchNorm has each product in the storage type where its statistics
  /// are of it, and sums them in float32 (Normalization.cpp, batch_norm_backward_cpu_template).
  T product_apart(const T& dy, std::size_t i) const {
    const T product = dy * apart(i);
    return stores_products_ ? a_.stored(product) : product;
  }
  T apart(std::size_t i) const {
    return centred_ ? x_[i] - normalised_.statistics[group(i)].mean : x_[i];
  }

  Field<T> input_gradient(const std::vector<T>& g) const {
    const std::int64_t n = context_.s.groups.length;
    Field<T> dx;
    dx.owner = context_.position;
    dx.v.resize(g.size());
    each_group(context_, [&](std::size_t which, const std::int32_t* group) {
      const GroupSums sums = group_sums(g, which);
      for (std::int64_t k = 0; k < n; ++k) {
        const std::size_t i = place(group[k]);
        dx.v[i] = of_forms<A>(
            forms(FormPart::adjoint), [&] { return standardized(sums, g[i], i); },
            [&] { return centered(sums, g[i], i); }, [&] { return uncentered(sums, g[i], i); });
      }
    });
    return dx;
  }

  /// What a group's numbers of dx have in common, by the three forms of the adjoint.
  struct GroupSums {
    T rstd{0};
    T mean_g{0};   ///< S1/N
    T mean_gx{0};  ///< S2/N
    T slope{0};    ///< centered: sum g (x - mean) rstd^2/N
    /// Uncentered: c2 and c3 = -c2 mean - S1 rstd/N; of rms_norm half a part of x's factor.
    T factor{0};
    T shift{0};
  };

  GroupSums group_sums(const std::vector<T>& g, std::size_t which) const {
    const FormSet permitted = forms(FormPart::adjoint);
    const std::int64_t n = context_.s.groups.length;
    const std::int32_t* group = context_.s.groups.members_of(static_cast<std::int64_t>(which));
    Sum first, second, apart_sum, third;
    for (std::int64_t k = 0; k < n; ++k) {
      const std::size_t i = place(group[k]);
      first.add(g[i]);
      second.add(T(g[i] * normalised_.xhat[i]));
      if constexpr (A::kErrors) {
        if (permitted.has(kCentered)) apart_sum.add(product_apart(g[i], i));
        if (permitted.has(kUncentered)) third.add(T(g[i] * x_[i]));
      }
    }
    const auto total = [&](const Sum& sum, SharedError symbol) {
      return a_.shared(sum.sum(context_.chain_of(SumRole::gradients, n)), symbol);
    };
    const auto size = static_cast<double>(n);
    const GroupStatistics<T>& s = normalised_.statistics[which];
    const T s1 = total(first, SharedError::first_sum);
    GroupSums sums;
    sums.rstd = s.rstd;
    sums.mean_g = kept(over(s1, size));
    sums.mean_gx = kept(over(kept(total(second, SharedError::second_sum)), size));
    if constexpr (A::kErrors) {
      const T apart_total = kept(total(apart_sum, SharedError::second_sum));
      sums.slope = kept(over(kept(kept(apart_total * s.rstd) * s.rstd), size));
      set_uncentered(sums, s1, total(third, SharedError::second_sum), s);
    }
    return sums;
  }

  /// rms_norm: rstd g - x mean(g x) rstd^3, in autograd's order (half the cube of rsqrt, shared out
  /// by the mean, times 2 x): each step may underflow.
  void set_uncentered(GroupSums& sums, const T& s1, const T& s2x,
                      const GroupStatistics<T>& s) const {
    const auto n = static_cast<double>(context_.s.groups.length);
    if (!centred_) {
      sums.factor = over((s2x * (s.rstd * s.rstd * s.rstd)) * T(0.5), n);
      return;
    }
    sums.factor = over((s1 * s.mean - s2x) * s.rstd * s.rstd * s.rstd, n);
    sums.shift = -(sums.factor * s.mean) - over(s1 * s.rstd, n);
  }

  T over(const T& v, double n) const { return quotient_of(a_.functions, T(v / n)); }
  T kept(const T& v) const { return keeps_projection_ ? a_.stored(v) : v; }

  T standardized(const GroupSums& sums, const T& g, std::size_t i) const {
    const T taken = kept(normalised_.xhat[i] * sums.mean_gx);
    const T inner = centred_ ? kept(g - sums.mean_g) : g;
    return sums.rstd * kept(inner - taken);
  }
  T centered(const GroupSums& sums, const T& g, std::size_t i) const {
    const T taken = kept(apart(i) * sums.slope);
    const T inner = centred_ ? kept(g - sums.mean_g) : g;
    return kept(inner - taken) * sums.rstd;
  }
  T uncentered(const GroupSums& sums, const T& g, std::size_t i) const {
    if (!centred_) return sums.rstd * g - sums.factor * (x_[i] + x_[i]);
    return sums.rstd * g + sums.factor * x_[i] + sums.shift;
  }

  /// Places of these forms of `adjoint` and `weight_gradient` in their rows.
  static constexpr int kCentered = 1;
  static constexpr int kUncentered = 2;

  const StepContext<A>& context_;
  const A& a_;
  const bool centred_;
  const bool keeps_projection_;
  const bool stores_products_;
  FoldedField<A> x_;
  Normalised<T> normalised_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
