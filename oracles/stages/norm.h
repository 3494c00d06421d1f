// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/forms.h"
#include "oracles/stages/parameter.h"

namespace gradproof {

/// What norms have in common in one unit of N numbers:
///
///   xhat = (x - mean) rstd,   y = weight xhat + beta,   rstd = 1/sqrt(variance + eps)
///
/// and, with the unit's own statistics, S1 = sum g and S2 = sum g xhat, the adjoint of xhat:
/// dx = rstd (g - S1/N - xhat S2/N).
template <class A>
class Norm : public Stage<A> {
 public:
  using T = typename A::Scalar;

  /// Step's parameters: {weight, beta, ...}; empty names are absent.
  Norm(const Step& step, const Setting<A>& setting)
      : step_(step),
        claim_(setting.claim),
        arithmetic_(setting.arithmetic),
        unit_(setting.unit),
        weight_(step, 0, setting),
        beta_(step, 1, setting) {}

  Values<T> value(const Values<T>& in) override {
    x_.clear();
    x_.reserve(in.size());
    for (const T& v : in) x_.push_back(arithmetic_.folded(v));
    statistics_ = unit_.given ? *unit_.given : own_statistics();
    centered_.clear();
    xhat_.clear();
    for (const T& v : x_) {
      centered_.push_back(v - statistics_.mean);
      xhat_.push_back(centered_.back() * statistics_.rstd);
    }
    return arithmetic_.forms().affine_folded ? folded_affine() : plain_affine();
  }

  Named<T> side_values() const override {
    return {{"mean", statistics_.mean}, {"rstd", statistics_.rstd}};
  }

 protected:
  virtual Statistics<T> own_statistics() const = 0;

  double count() const { return static_cast<double>(x_.size()); }
  double eps() const { return step_.scalars.at(0); }
  bool centered() const { return arithmetic_.forms().backward == NormBackward::centered; }

  /// factor (g - S1/N - xhat S2/N). Second sum: of g xhat, in the centered form of g (x - mean).
  Values<T> input_gradient(const Values<T>& g, const T& sum1, const T& sum2,
                           const T& factor) const {
    const auto mean1 = static_cast<T>(arithmetic_.shared(sum1, Symbol::first_sum) / count());
    const auto mean2 = static_cast<T>(arithmetic_.shared(sum2, Symbol::second_sum) / count());
    Values<T> dx;
    dx.reserve(g.size());
    if (!centered()) {
      for (std::size_t i = 0; i < g.size(); ++i)
        dx.push_back(factor * ((g[i] - mean1) - xhat_[i] * mean2));
      return dx;
    }
    const T slope = mean2 * (statistics_.rstd * statistics_.rstd);
    for (std::size_t i = 0; i < g.size(); ++i)
      dx.push_back(((g[i] - mean1) - centered_[i] * slope) * factor);
    return dx;
  }

  const Step& step_;
  const Claim& claim_;
  const A& arithmetic_;
  const Unit<T>& unit_;
  Parameter<A> weight_;
  Parameter<A> beta_;
  Values<T> x_;
  Values<T> centered_;
  Values<T> xhat_;
  Statistics<T> statistics_;

 private:
  Values<T> plain_affine() const {
    Values<T> y = xhat_;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (weight_) y[i] = weight_[i] * y[i];
      if (beta_) y[i] = y[i] + beta_[i];
    }
    return y;
  }

  /// y = x alpha + (beta - mean alpha), alpha = weight rstd.
  Values<T> folded_affine() const {
    Values<T> y;
    y.reserve(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const T alpha = weight_ ? weight_[i] * statistics_.rstd : statistics_.rstd;
      const T shift = (beta_ ? beta_[i] : T(0)) - statistics_.mean * alpha;
      y.push_back(x_[i] * alpha + shift);
    }
    return y;
  }
};

}  // namespace gradproof
