// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/stages/norm.h"

namespace gradproof {

/// GroupNorm of one row of one group (Wu, He 2018), as PyTorch's: the unit's own biased variance in
/// training and evaluation, a weight and a beta for each channel c. Adjoint: h = weight_c dy,
/// S1 = sum h, S2 = sum h xhat over the unit, dx = rstd (h - S1/N - xhat S2/N);
/// dweight_c = sum dy xhat and dbeta_c = sum dy over the rows.
template <class A>
class GroupNorm final : public Norm<A> {
 public:
  using T = typename A::Scalar;

  /// Step's parameters: {weight, beta}, scalars {eps}; empty names are absent.
  GroupNorm(const Step& step, const Setting<A>& setting) : Norm<A>(step, setting) {}

  Adjoint<T> adjoint(const Values<T>& dy) const override {
    if (arithmetic_.forms().backward == NormBackward::uncentered) return uncentered(dy);
    const Values<T> h = weighted(dy);
    const T s1 = arithmetic_.sum(h, kGradients);
    const T s2 = arithmetic_.dot(h, this->centered() ? this->centered_ : this->xhat_, kGradients);
    Adjoint<T> result;
    result.input = this->input_gradient(h, s1, s2, this->statistics_.rstd);
    if (weight_) result.parameters.emplace(weight_.name(), weight_.gradient(dy, this->xhat_));
    if (beta_) result.parameters.emplace(beta_.name(), beta_.gradient(dy));
    return result;
  }

 private:
  using Norm<A>::arithmetic_;
  using Norm<A>::weight_;
  using Norm<A>::beta_;

  Statistics<T> own_statistics() const override {
    return arithmetic_.statistics(this->x_, this->eps());
  }

  Values<T> weighted(const Values<T>& dy) const {
    Values<T> h = dy;
    if (!weight_) return h;
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = weight_[i] * h[i];
    return h;
  }

  /// LibTorch's form (aten/src/ATen/native/cpu/group_norm_kernel.cpp), S2x = sum h x, s = 1/N:
  ///   dx = rstd weight dy + c2 x + c3,  c2 = (S1 mean - S2x) rstd^3 s,
  ///   c3 = -c2 mean - S1 rstd s,        dweight_c = sum over the rows of (dy x - dy mean) rstd.
  Adjoint<T> uncentered(const Values<T>& dy) const {
    const T& mean = this->statistics_.mean;
    const T& rstd = this->statistics_.rstd;
    Values<T> products = dy;
    for (std::size_t i = 0; i < dy.size(); ++i) products[i] = dy[i] * this->x_[i];
    const T s1 = arithmetic_.shared(arithmetic_.sum(weighted(dy), kGradients), Symbol::first_sum);
    const T s2 =
        arithmetic_.shared(arithmetic_.sum(weighted(products), kGradients), Symbol::second_sum);
    const auto share = static_cast<T>(T(1) / this->count());
    const T c2 = (s1 * mean - s2) * rstd * rstd * rstd * share;
    const T c3 = T(0) - c2 * mean - s1 * rstd * share;
    Adjoint<T> result;
    Values<T> terms;
    for (std::size_t i = 0; i < dy.size(); ++i) {
      const T c1 = weight_ ? rstd * weight_[i] : rstd;
      result.input.push_back(c1 * dy[i] + c2 * this->x_[i] + c3);
      terms.push_back((products[i] - dy[i] * mean) * rstd);
    }
    if (weight_) result.parameters.emplace(weight_.name(), weight_.gradient(terms));
    if (beta_) result.parameters.emplace(beta_.name(), beta_.gradient(dy));
    return result;
  }
};

}  // namespace gradproof
