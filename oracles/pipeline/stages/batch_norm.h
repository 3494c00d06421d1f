// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <optional>

#include "core/tensor/dtype.h"
#include "oracles/pipeline/stages/norm.h"

namespace gradproof {

/// BatchNorm over the rows of one column (Ioffe, Szegedy 2015), as PyTorch's BatchNorm1d, with the
/// batch's biased variance in training, the running statistics in evaluation. Adjoint in training,
/// S1 = sum g, S2 = sum g xhat: dx = weight rstd (g - S1/N - xhat S2/N), dweight = S2, dbeta = S1;
/// in evaluation dx = weight rstd g. For a scale in front in training, x = s v, ds = sum v dx in
/// closed form: ds = weight rstd^3 eps sum (g - S1/N) (v - mean v).
template <class A>
class BatchNorm final : public Norm<A> {
 public:
  using T = typename A::Scalar;

  /// CompiledStep's numbers: {weight, beta, running_mean, running_var}, scalars {eps, momentum}.
  BatchNorm(const CompiledStep& line, const Setting<A>& setting)
      : Norm<A>(line, setting), running_mean_(line, 2, setting), running_var_(line, 3, setting) {
    if (line.scaled_by == CompiledStep::kAbsent) return;
    scale_.emplace(setting.compiled.lines[static_cast<std::size_t>(line.scaled_by)], 0, setting);
    this->gradients_.emplace_back();
  }

  void take_unscaled(const Values<T>& v) override { unscaled_ = &v; }

  const Values<T>& adjoint(const Values<T>& g) override {
    const T s1 = arithmetic_.sum(g, kGradients);
    const T s2 = arithmetic_.dot(g, this->second_factor(), kGradients);
    const T& rstd = this->statistics_.rstd;
    // No rows: no statistics, and a gradient of 0.
    const bool scaled = this->centered() && !g.empty();
    if (weight_) set(this->weight_gradient(), weight_, scaled ? T(s2 * rstd) : s2);
    if (this->beta_) set(this->beta_gradient(), this->beta_, s1);
    const T factor = weight_ ? T(weight_.one() * rstd) : rstd;
    if (scale_) scale_gradient(g, s1, factor);
    if (g.empty()) return as_long_as(this->dx_, g);
    // The centered form is LibTorch's, in evaluation too: rstd, then weight. Between them the range
    // may be left, and an underflow is multiplied by weight.
    const T& first = this->centered() ? rstd : factor;
    if (this->compiled_.batch_statistics) {
      this->input_gradient(g, s1, s2, first);
    } else {
      as_long_as(this->dx_, g);
      for (std::size_t i = 0; i < g.size(); ++i) this->dx_[i] = first * g[i];
    }
    if (this->centered() && weight_)
      for (T& d : this->dx_) d = d * weight_.one();
    return this->dx_;
  }

  /// mean, rstd and the running statistics after the step.
  T side_value(NormOutput side) const override {
    if (side == NormOutput::mean || side == NormOutput::rstd) return Norm<A>::side_value(side);
    const bool update =
        this->compiled_.update_running && this->compiled_.batch_statistics && !this->x().empty();
    if (side == NormOutput::running_mean)
      return update ? updated(running_mean_.one(), this->statistics_.mean) : running_mean_.one();
    return update ? updated(running_var_.one(), unbiased()) : running_var_.one();
  }

 private:
  using Norm<A>::arithmetic_;
  using Norm<A>::weight_;

  static void set(Gradient<T>& gradient, const Parameter<A>& parameter, const T& value) {
    gradient.number = parameter.number();
    gradient.terms.assign(1, value);
  }

  /// From S2 = rstd s sum g (v - mean v), sum v xhat = N rstd s var(v), rstd^2 (s^2 var(v) + eps)
  /// = 1. Each factor's deviations add up to 0, so that an error of the other one's mean cancels.
  void scale_gradient(const Values<T>& g, const T& s1, const T& factor) {
    if (g.empty()) return scale_->gradient(this->gradients_.back(), T(0));
    const T mean_g = mean_of(s1, SharedError::first_sum);
    const T mean_v = mean_of(arithmetic_.sum(*unscaled_, kGradients), SharedError::second_sum);
    as_long_as(deviations_of_g_, g);
    as_long_as(deviations_of_v_, g);
    for (std::size_t i = 0; i < g.size(); ++i) {
      deviations_of_g_[i] = g[i] - mean_g;
      deviations_of_v_[i] = (*unscaled_)[i] - mean_v;
    }
    const T sum = arithmetic_.dot(deviations_of_g_, deviations_of_v_, kGradients);
    const T& rstd = this->statistics_.rstd;
    scale_->gradient(this->gradients_.back(), (factor * sum) * ((rstd * T(this->eps())) * rstd));
  }

  T mean_of(const T& sum, SharedError symbol) const {
    return static_cast<T>(arithmetic_.shared(sum, symbol) / this->count());
  }

  Statistics<T> own_statistics() const override {
    if (this->compiled_.batch_statistics) return arithmetic_.statistics(this->x(), this->eps());
    const T& variance = running_var_.one();
    return {running_mean_.one(), variance, arithmetic_.rstd(variance, this->eps())};
  }

  /// PyTorch stores the variance with N-1.
  T unbiased() const {
    const T& biased = this->statistics_.variance;
    if (this->count() < 2) return biased;
    return biased * T(static_cast<T>(this->count()) / (this->count() - 1));
  }

  T updated(const T& running, const T& batch) const {
    const auto momentum = static_cast<T>(momentum_factor());
    if (arithmetic_.forms().running == RunningUpdate::lerp)
      return running + momentum * (batch - running);
    return (T(1) - momentum) * running + momentum * batch;
  }

  /// Without a momentum, that of the cumulative average: 1/(batches seen, with this one).
  double momentum_factor() const {
    const double momentum = this->line_.scalars[1];
    if (!std::isnan(momentum)) return momentum;
    return round_to(this->compiled_.scalar, 1 / (this->unit_.batches + 1));
  }

  Parameter<A> running_mean_;
  Parameter<A> running_var_;
  std::optional<Parameter<A>> scale_;  ///< of the step in front, where its gradient is given here
  const Values<T>* unscaled_ = nullptr;
  Values<T> deviations_of_g_;
  Values<T> deviations_of_v_;
};

}  // namespace gradproof
