// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/pipeline/stages/norm.h"

namespace gradproof {

/// GroupNorm of one row of one group (Wu, He 2018), as PyTorch's: the unit's own biased variance in
/// training and evaluation, a weight and a beta for each channel c. Adjoint: h = weight_c dy,
/// S1 = sum h, S2 = sum h xhat over the unit, dx = rstd (h - S1/N - xhat S2/N);
/// dweight_c = sum dy xhat and dbeta_c = sum dy over the rows.
template <class A>
class GroupNorm final : public Norm<A> {
 public:
  using T = typename A::Scalar;

  /// CompiledStep's numbers: {weight, beta}, scalars {eps}.
  GroupNorm(const CompiledStep& line, const Setting<A>& setting) : Norm<A>(line, setting) {}

  const Values<T>& adjoint(const Values<T>& dy) override {
    if (arithmetic_.forms().backward == NormBackward::uncentered) return uncentered(dy);
    const Values<T>& h = weighted(h_, dy);
    const T s1 = arithmetic_.sum(h, kGradients);
    const T s2 = arithmetic_.dot(h, this->second_factor(), kGradients);
    if (weight_) weight_.gradient(this->weight_gradient(), dy, this->xhat_);
    if (beta_) beta_.gradient(this->beta_gradient(), dy);
    return this->input_gradient(h, s1, s2, this->statistics_.rstd);
  }

 private:
  using Norm<A>::arithmetic_;
  using Norm<A>::weight_;
  using Norm<A>::beta_;

  Statistics<T> own_statistics() const override {
    return arithmetic_.statistics(this->x(), this->eps());
  }

  const Values<T>& weighted(Values<T>& h, const Values<T>& dy) const {
    if (!weight_) return dy;
    as_long_as(h, dy);
    const auto weight = weight_.numbers();
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = weight[i] * dy[i];
    return h;
  }

  /// LibTorch's form (aten/src/ATen/native/cpu/group_norm_kernel.cpp), S2x = sum h x, s = 1/N:
  ///   dx = rstd weight dy + c2 x + c3,  c2 = (S1 mean - S2x) rstd^3 s,
  ///   c3 = -c2 mean - S1 rstd s,        dweight_c = sum over the rows of (dy x - dy mean) rstd.
  const Values<T>& uncentered(const Values<T>& dy) {
    const T& mean = this->statistics_.mean;
    const T& rstd = this->statistics_.rstd;
    const Values<T>& x = this->x();
    as_long_as(products_, dy);
    for (std::size_t i = 0; i < dy.size(); ++i) products_[i] = dy[i] * x[i];
    const T s1 =
        arithmetic_.shared(arithmetic_.sum(weighted(h_, dy), kGradients), SharedError::first_sum);
    const T s2 = arithmetic_.shared(arithmetic_.sum(weighted(h_, products_), kGradients),
                                    SharedError::second_sum);
    const auto share = static_cast<T>(T(1) / this->count());
    const T c2 = (s1 * mean - s2) * rstd * rstd * rstd * share;
    const T c3 = T(0) - c2 * mean - s1 * rstd * share;
    Values<T>& dx = as_long_as(this->dx_, dy);
    for (std::size_t i = 0; i < dy.size(); ++i) {
      const T c1 = weight_ ? rstd * weight_.numbers()[i] : rstd;
      dx[i] = c1 * dy[i] + c2 * x[i] + c3;
      products_[i] = (products_[i] - dy[i] * mean) * rstd;
    }
    if (weight_) weight_.gradient(this->weight_gradient(), products_);
    if (beta_) beta_.gradient(this->beta_gradient(), dy);
    return dx;
  }

  Values<T> h_;
  Values<T> products_;
};

}  // namespace gradproof
