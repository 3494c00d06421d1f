// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/forms.h"
#include "oracles/pipeline/stages/parameter.h"

namespace gradproof {

/// The formulas that norms have in common, in one unit of N numbers:
///
///   xhat = (x - mean) rstd,   y = weight xhat + beta,   rstd = 1/sqrt(variance + eps)
///
/// and, with the unit's own statistics, S1 = sum g and S2 = sum g xhat, the adjoint of xhat:
/// dx = rstd (g - S1/N - xhat S2/N).
template <class A>
class Norm : public Stage<A> {
 public:
  using T = typename A::Scalar;

  /// CompiledStep's numbers are {weight, beta, ...}.
  Norm(const CompiledStep& line, const Setting<A>& setting)
      : line_(line),
        compiled_(setting.compiled),
        arithmetic_(setting.arithmetic),
        unit_(setting.unit),
        weight_(line, 0, setting),
        beta_(line, 1, setting) {
    this->gradients_.resize((weight_ ? 1 : 0) + (beta_ ? 1 : 0));
  }

  const Values<T>& value(const Values<T>& in) override {
    remember(in);
    as_long_as(y_, in);
    if (arithmetic_.forms().affine_folded)
      folded_affine();
    else
      plain_affine();
    return y_;
  }

  void remember(const Values<T>& in) override {
    x_ = &in;
    if (line_.later_norm) fold(in);
    statistics_ = unit_.given ? *unit_.given : own_statistics();
    if (centered()) as_long_as(centered_, in);
    as_long_as(xhat_, in);
    const Values<T>& x = *x_;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const T d = x[i] - statistics_.mean;
      if (centered()) centered_[i] = d;
      xhat_[i] = d * statistics_.rstd;
    }
  }

  T side_value(NormOutput side) const override {
    return side == NormOutput::mean ? statistics_.mean : statistics_.rstd;
  }

 protected:
  virtual Statistics<T> own_statistics() const = 0;

  double count() const { return arithmetic_.count(); }
  double eps() const { return line_.scalars[0]; }
  bool centered() const { return arithmetic_.forms().backward == NormBackward::centered; }
  const Values<T>& x() const { return *x_; }
  /// The factor of g in the second sum.
  const Values<T>& second_factor() const { return centered() ? centered_ : xhat_; }

  Gradient<T>& weight_gradient() { return this->gradients_.front(); }
  Gradient<T>& beta_gradient() { return this->gradients_[weight_ ? 1 : 0]; }

  /// factor (g - S1/N - xhat S2/N). S2 sums g xhat, or g (x - mean) in the centered form.
  const Values<T>& input_gradient(const Values<T>& g, const T& sum1, const T& sum2,
                                  const T& factor) {
    const auto mean1 = static_cast<T>(arithmetic_.shared(sum1, SharedError::first_sum) / count());
    const T shared2 = arithmetic_.shared(sum2, SharedError::second_sum);
    as_long_as(dx_, g);
    if (!centered()) {
      const auto mean2 = static_cast<T>(shared2 / count());
      for (std::size_t i = 0; i < g.size(); ++i)
        dx_[i] = factor * ((g[i] - mean1) - xhat_[i] * mean2);
      return dx_;
    }
    // LibTorch's order: the products may leave the range, although divided by N they would not.
    const T squared = (shared2 * statistics_.rstd) * statistics_.rstd;
    const auto slope = static_cast<T>(squared / count());
    for (std::size_t i = 0; i < g.size(); ++i)
      dx_[i] = ((g[i] - mean1) - centered_[i] * slope) * factor;
    return dx_;
  }

  const CompiledStep& line_;
  const CompiledPipeline& compiled_;
  const A& arithmetic_;
  const Unit<T>& unit_;
  Parameter<A> weight_;
  Parameter<A> beta_;
  Values<T> centered_;  ///< x - mean, where the form asks for it
  Values<T> xhat_;
  Values<T> dx_;
  Statistics<T> statistics_{};

 private:
  /// Makes the errors that an earlier norm's elements share independent.
  void fold(const Values<T>& in) {
    as_long_as(folded_, in);
    for (std::size_t i = 0; i < in.size(); ++i) folded_[i] = arithmetic_.folded(in[i]);
    x_ = &folded_;
  }

  void plain_affine() {
    if (weight_ && beta_) {
      const auto weight = weight_.numbers();
      const auto beta = beta_.numbers();
      for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = weight[i] * xhat_[i] + beta[i];
    } else if (weight_) {
      const auto weight = weight_.numbers();
      for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = weight[i] * xhat_[i];
    } else if (beta_) {
      const auto beta = beta_.numbers();
      for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = xhat_[i] + beta[i];
    } else {
      y_ = xhat_;
    }
  }

  /// y = x alpha + (beta - mean alpha), alpha = weight rstd.
  void folded_affine() {
    const Values<T>& x = *x_;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const T alpha = weight_ ? weight_.numbers()[i] * statistics_.rstd : statistics_.rstd;
      const T shift = (beta_ ? beta_.numbers()[i] : T(0)) - statistics_.mean * alpha;
      y_[i] = x[i] * alpha + shift;
    }
  }

  const Values<T>* x_ = nullptr;
  Values<T> folded_;
  Values<T> y_;
};

}  // namespace gradproof
