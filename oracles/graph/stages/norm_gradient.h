// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/channel_sums.h"
#include "oracles/graph/stages/normalised.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The gradient of a norm's input by all forms that its contract permits; the formulas stand at
/// NormStage.
template <class A>
class NormGradient {
 public:
  using T = typename A::Scalar;
  using Sum = typename A::Sum;
  using V = EstimateOf<T>;

  /// The object refers to all arguments.
  NormGradient(const StepContext<A>& context, const FoldedField<A>& x,
               const Normalised<T>& normalised)
      : context_(context),
        a_(context.a),
        centred_(stage() != "rms_norm"),
        keeps_projection_(a_.keeps(stage(), StoredPart::projection)),
        stores_products_(keeps_projection_ && a_.keeps(stage(), StoredPart::parameter_sums)),
        x_(x),
        normalised_(normalised) {}

  /// dx in both orders of the weight: each number's is multiplied in before the sums, or one that a
  /// group has in common after them.
  Field<T> of_input(const FoldedField<A>& dy) const {
    Field<T> dx;
    dx.owner = context_.position;
    dx.v.resize(normalised_.xhat.size());
    if constexpr (A::kErrors) dx.summands = summands();
    if (dx.summands > 1) dx.sizes.assign(dx.v.size(), V(0));
    put_gradient(dy, dx);
    if constexpr (A::kErrors)
      if (dx.summands > 1 && a_.stores_values()) store_summands(dx);
    return dx;
  }
  /// dy (x - mean). LibTorch's BatchNorm has each product in the storage type if its statistics are
  /// of that type, and sums them in float32 (Normalization.cpp, batch_norm_backward_cpu_template).
  T product_apart(const T& dy, std::size_t i) const {
    const T product = dy * apart(i);
    return stores_products_ ? a_.stored(product) : product;
  }

 private:
  const std::string& stage() const { return context_.s.step->stage; }
  bool has(std::size_t k) const { return context_.has(k); }
  FormSet forms(FormPart part) const { return context_.forms(part); }
  const T& weight(std::size_t i) const { return context_.at(1, static_cast<std::int64_t>(i)); }
  std::size_t group(std::size_t i) const { return place(context_.s.groups.of[i]); }
  T apart(std::size_t i) const {
    return centred_ ? x_[i] - normalised_.statistics[group(i)].mean : x_[i];
  }

  /// Code that computes a norm by operators takes x twice, in the mean of the squares and in the
  /// quotient, and a third time in the mean: autograd adds what comes back by these ways one after
  /// the other to what x has from elsewhere. Code of one operator declares its form of the adjoint.
  int summands() const { return !forms(FormPart::adjoint).has(kUncentered) ? 1 : centred_ ? 3 : 2; }
  /// Operators of 16 bits round what comes back by each way.
  void store_summands(Field<T>& dx) const {
    const StoredType& type = a_.functions.storage();
    for (std::size_t i = 0; i < dx.v.size(); ++i)
      dx.v[i].e += type.unit * dx.sizes[i] + dx.summands * type.underflow;
  }

  void put_gradient(const FoldedField<A>& dy, Field<T>& dx) const {
    const auto put = [&](std::size_t i, const T& number) __attribute__((always_inline)) {
      dx.v[i] = number;
    };
    if (!has(1)) return each_gradient(dy.field().v, dy, false, put, dx.sizes);
    const FormRow& row = form_row(FormPart::weighting);
    const FormSet permitted = row.is_of(stage()) ? forms(FormPart::weighting) : FormSet{kFirst};
    const bool is_first = A::kErrors ? permitted.has(0) : !context_.s.weighted_after;
    if (!is_first) return each_gradient(dy.field().v, dy, true, put, dx.sizes);
    const auto weighted = [&](std::int64_t i) {
      const T g = dy[place(i)] * weight(place(i));
      return a_.stored_part(g, stage(), StoredPart::normalised);
    };
    const auto g = numbers_by<T>(std::ssize(normalised_.xhat), weighted);
    each_gradient(g, dy, false, put, dx.sizes);
    if constexpr (A::kErrors)
      if (permitted.bits != kFirst)
        each_gradient(
            dy.field().v, dy, true,
            [&](std::size_t i, const T& after)
                __attribute__((always_inline)) { dx.v[i] = widened(dx.v[i], after); },
            dx.sizes);
  }

  /// Calls put(i, number) for each element, and sets its summands' sizes unless there are none.
  /// With `weighted_after` g is dy, and a group's one weight follows.
  template <class Put>
  void each_gradient(const FieldNumbers<T>& g, const FoldedField<A>& dy, bool weighted_after,
                     const Put& put, FieldNumbers<V>& sizes) const {
    const std::int64_t n = context_.s.groups.length;
    each_group(context_, [&](std::size_t which, const std::int32_t* group) {
      // LibTorch's uncentered sums take dy x first, which may leave the range where weight dy does
      // not.
      const auto product = [&](std::size_t i) {
        return has(1) && !weighted_after ? T((dy[i] * x_[i]) * weight(i)) : T(g[i] * x_[i]);
      };
      GroupSums sums = group_sums(g, dy, product, which);
      if (weighted_after) sums.weight = &weight(place(group[0]));
      if (weighted_after) sums.weighted_rstd = sums.rstd * *sums.weight;
      for (std::int64_t k = 0; k < n; ++k) {
        const std::size_t i = place(group[k]);
        put(i, over_forms<A>(
                   forms(FormPart::adjoint), [&] { return standardized(sums, g[i], i); },
                   [&] { return centered(sums, g[i], i); },
                   [&] { return uncentered(sums, g[i], i); }));
        if constexpr (A::kErrors)
          if (!sizes.empty()) sizes[i] = largest_of(sizes[i], size_of_summands(sums, g[i], i));
      }
    });
  }

  /// The numbers that a group's elements of dx have in common, in the three forms of the adjoint.
  struct GroupSums {
    T rstd{0};
    const T* weight = nullptr;  ///< multiplied in after the sums; null: it was before
    T weighted_rstd{0};
    T mean_g{0};   ///< S1/N
    T mean_gx{0};  ///< S2/N
    T slope{0};    ///< centered: sum g (x - mean) rstd^2/N
    /// Uncentered: c2 and c3 = -c2 mean - S1 rstd/N; for rms_norm half of x's factor.
    T factor{0};
    T shift{0};
  };

  /// `product(i)` is g x.
  template <class Product>
  GroupSums group_sums(const FieldNumbers<T>& g, const FoldedField<A>& dy, const Product& product,
                       std::size_t which) const {
    const FormSet permitted = forms(FormPart::adjoint);
    const std::int64_t n = context_.s.groups.length;
    const std::int32_t* group = context_.s.groups.members_of(static_cast<std::int64_t>(which));
    const Sum none = a_.new_sum();
    Sum first = none, second = none, apart_sum = none, third = none;
    for (std::int64_t k = 0; k < n; ++k) {
      const std::size_t i = place(group[k]);
      first.add(g[i]);
      second.add(T(g[i] * normalised_.xhat[i]));
      if constexpr (A::kErrors) {
        if (permitted.has(kCentered)) apart_sum.add(product_apart(g[i], i));
        if (permitted.has(kUncentered)) third.add(product(i));
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
      const WeightedSums<T> by_element{s1, total(third, SharedError::second_sum)};
      set_uncentered(sums, sums_by_channel(context_, by_element, dy, x_, group), s);
    }
    return sums;
  }

  /// Sets the factors. rms_norm has rstd g - x mean(g x) rstd^3 in autograd's order (half the cube
  /// of rsqrt, divided by N, times 2 x): each step may underflow.
  void set_uncentered(GroupSums& sums, const WeightedSums<T>& weighted,
                      const GroupStatistics<T>& s) const {
    const auto& [s1, s2x] = weighted;
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
    if (!keeps_projection_) {
      const T taken = normalised_.xhat[i] * sums.mean_gx;
      return times_rstd(sums, centred_ ? T((g - sums.mean_g) - taken) : T(g - taken));
    }
    const T taken = kept(normalised_.xhat[i] * sums.mean_gx);
    const T inner = centred_ ? kept(g - sums.mean_g) : g;
    return times_rstd(sums, kept(inner - taken));
  }
  T centered(const GroupSums& sums, const T& g, std::size_t i) const {
    const T taken = kept(apart(i) * sums.slope);
    const T inner = centred_ ? kept(g - sums.mean_g) : g;
    return times_rstd(sums, kept(inner - taken));
  }
  T times_rstd(const GroupSums& sums, const T& inner) const {
    if (sums.weight == nullptr) return inner * sums.rstd;
    T number = inner * sums.weighted_rstd;
    const T last = (inner * sums.rstd) * *sums.weight;
    const FormSet permitted = forms(FormPart::weighting);
    if (!permitted.has(1)) return last;
    return permitted.has(2) ? widened(number, last) : number;
  }
  /// The sizes of rstd g, rstd S1/N and rstd xhat S2/N, those of another form of them too.
  V size_of_summands(const GroupSums& sums, const T& g, std::size_t i) const {
    const T& rstd = sums.weight == nullptr ? sums.rstd : sums.weighted_rstd;
    const V of_squares = normalised_.xhat[i].reach() * sums.mean_gx.reach();
    const V inner = (g.reach() + of_squares) + (centred_ ? sums.mean_g.reach() : V(0));
    const V size = inner * rstd.reach();
    return select(is_finite(size), size, V(0));
  }
  T uncentered(const GroupSums& sums, const T& g, std::size_t i) const {
    if (!centred_) return sums.rstd * g - sums.factor * (x_[i] + x_[i]);
    const T all = sums.rstd * g + sums.factor * x_[i] + sums.shift;
    return sums.weight == nullptr ? all : T(all * *sums.weight);
  }

  static constexpr unsigned kFirst = 1;  ///< `first` of `weighting` alone
  /// The places of these forms of `adjoint` and `weight_gradient` in their rows.
  static constexpr int kCentered = 1;
  static constexpr int kUncentered = 2;

  const StepContext<A>& context_;
  const A& a_;
  const bool centred_;
  const bool keeps_projection_;
  const bool stores_products_;
  const FoldedField<A>& x_;
  const Normalised<T>& normalised_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
