// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/norm_gradient.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// xhat = (x - mean) rstd, y = weight xhat + beta; rms_norm takes no mean off. Adjoint with g =
/// weight dy, S1 = sum g, S2 = sum g xhat over the N numbers of a group: dx = rstd (g - S1/N - xhat
/// S2/N), dweight = sum dy xhat, dbeta = sum dy (Ioffe, Szegedy 2015; Ba, Kiros, Hinton 2016; Wu,
/// He 2018; Zhang, Sennrich 2019). Other forms of these formulas stand in form_rows(): LibTorch's
/// LayerNorm and GroupNorm have the uncentered adjoint.
template <class A>
class NormStage {
 public:
  using T = typename A::Scalar;

  /// `part` says which statistics are meant: those that the value takes, or those that were saved.
  NormStage(const StepContext<A>& context, StoredPart part)
      : context_(context),
        a_(context.a),
        centred_(stage() != "rms_norm"),
        x_(*context.in[0], kNobody) {
    Normalised<T>& kept = memory_of(context, context.position).normalised;
    const bool saves_others = a_.keeps(stage(), StoredPart::saved_statistics) !=
                              a_.keeps(stage(), StoredPart::used_statistics);
    const bool is_kept =
        part == StoredPart::saved_statistics && !saves_others && !kept.xhat.empty();
    normalised_ = is_kept ? std::move(kept) : normalised(context, x_, centred_, part);
  }

  /// The value; its statistics are left to the adjoint. Call nothing else of this stage afterwards.
  Field<T> value() {
    Field<T> y = affine();
    memory_of(context_, context_.position).normalised = std::move(normalised_);
    return y;
  }

  /// Computes the adjoint. Call nothing else of this stage afterwards.
  void adjoint(const Field<T>& cotangent, Terms<T>& terms) {
    const FoldedField<A> dy(cotangent, context_.position);
    start_from_output();
    const NormGradient<A> gradient(context_, x_, normalised_);
    terms[0] = gradient.of_input(dy);
    if (has(1)) terms[1] = weight_terms(dy, gradient);
    if (has(2)) {
      if (has_coarse_sums() || &dy.field() != &cotangent)
        terms[2] = in_coarse_sums(dy.field());
      else
        terms.pass_on(2);
    }
  }

 private:
  Field<T> affine() const {
    Field<T> y;
    y.owner = context_.position;
    const bool kept = keeps_folded();
    y.v = numbers_by<T>(std::ssize(normalised_.xhat),
                        [&](std::int64_t at) { return affine(place(at), kept); });
    return y;
  }
  [[gnu::always_inline]] T affine(std::size_t i, bool kept) const {
    T v = has(1) || has(2) ? kept_apart(normalised_.xhat[i]) : normalised_.xhat[i];
    if (has(1)) v = has(2) ? kept_apart(v * weight(i)) : T(v * weight(i));
    if (has(2)) v = v + beta(i);
    return over_forms<A>(
        forms(FormPart::affine), [&] { return v; }, [&] { return folded(i, kept); });
  }
  bool keeps_folded() const { return A::kErrors && a_.keeps(stage(), StoredPart::folded_affine); }

  /// The number in the storage type, for code that applies weight and beta in steps of their own,
  /// as `weight * xhat.to(dtype)` does (LlamaRMSNorm of transformers).
  T kept_apart(const T& v) const { return a_.stored_part(v, stage(), StoredPart::normalised); }

  /// Adds the form in which the adjoint starts from y, with xhat = (y - beta)/weight, as in
  /// memory-efficient norms that save y alone (apex, csrc/layer_norm_cuda_kernel.cu).
  void start_from_output() {
    if constexpr (A::kErrors) {
      const FormSet permitted = forms(FormPart::backward);
      if (!permitted.has(1)) return;
      const bool kept = keeps_folded();
      for (std::size_t i = 0; i < normalised_.xhat.size(); ++i) {
        T v = a_.value_read(affine(i, kept), context_.s.step->value);
        if (has(2)) v = v - beta(i);
        if (has(1)) v = quotient_of(a_.functions, T(v / weight(i)));
        add_form(normalised_.xhat[i], permitted, 1, v);
      }
    }
  }

  const std::string& stage() const { return context_.s.step->stage; }
  const T& beta(std::size_t i) const { return context_.at(2, static_cast<std::int64_t>(i)); }
  bool has(std::size_t k) const { return context_.has(k); }
  FormSet forms(FormPart part) const { return context_.forms(part); }
  const T& weight(std::size_t i) const { return context_.at(1, static_cast<std::int64_t>(i)); }
  std::size_t group(std::size_t i) const { return place(context_.s.groups.of[i]); }

  /// x alpha + (beta - mean alpha), alpha = weight rstd; with `kept` these two are stored.
  T folded(std::size_t i, bool kept) const {
    const GroupStatistics<T>& s = normalised_.statistics[group(i)];
    const auto stored = [&](const T& v) { return kept ? a_.stored(v) : v; };
    const T alpha = stored(has(1) ? T(weight(i) * s.rstd) : s.rstd);
    if (!centred_) return x_[i] * alpha;
    const T shift = stored((has(2) ? beta(i) : T(0)) - s.mean * alpha);
    return x_[i] * alpha + shift;
  }

  /// Each number with the error that running sums in a coarser type may give it.
  Field<T> in_coarse_sums(Field<T> terms) const {
    if constexpr (A::kErrors)
      if (has_coarse_sums())
        for (T& v : terms.v)
          v = a_.in_stored_sum(v, stage(), StoredPart::parameter_sums, context_.s.summed);
    return terms;
  }
  bool has_coarse_sums() const { return a_.keeps(stage(), StoredPart::parameter_sums); }

  /// With several elements of a channel in a group (images), sums of dy x are computed before the
  /// mean is subtracted: their roundings are of that size.
  Field<T> weight_terms(const FoldedField<A>& dy, const NormGradient<A>& gradient) const {
    const Normalised<T>& used = normalised_;
    Field<T> terms;
    terms.owner = context_.position;
    const auto chain = static_cast<double>(context_.s.inner - 1);
    const auto in_sum = [&](const T& term) { return added_first<A>(term, context_.s.summed); };
    terms.v = numbers_by<T>(std::ssize(used.xhat), [&](std::int64_t at) {
      const std::size_t i = place(at);
      const GroupStatistics<T>& s = used.statistics[group(i)];
      T term = over_forms<A>(
          forms(FormPart::weight_gradient),
          [&] { return kept_apart(dy[i] * kept_apart(used.xhat[i])); },
          [&] { return in_sum(gradient.product_apart(dy[i], i)) * s.rstd; },
          [&] {
            const T product = in_sum(dy[i] * x_[i]);
            return (centred_ ? product - in_sum(dy[i] * s.mean) : product) * s.rstd;
          });
      if constexpr (A::kErrors)
        if (chain != 0 && forms(FormPart::weight_gradient).has(kUncentered))
          term.e +=
              chain * A::unit() * dy[i].reach() * (x_[i].reach() + s.mean.reach()) * s.rstd.reach();
      return term;
    });
    return in_coarse_sums(std::move(terms));
  }
  static constexpr int kUncentered = 2;  ///< its place in the row of `weight_gradient`

  const StepContext<A>& context_;
  const A& a_;
  const bool centred_;
  FoldedField<A> x_;
  Normalised<T> normalised_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
