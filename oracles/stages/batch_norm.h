// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "core/dtype.h"
#include "oracles/stages/norm.h"

namespace gradproof {

/// BatchNorm over the rows of one column (Ioffe, Szegedy 2015), as PyTorch's BatchNorm1d, with the
/// batch's biased variance in training, the running statistics in evaluation. Adjoint in training,
/// S1 = sum g, S2 = sum g xhat:   dx = weight rstd (g - S1/N - xhat S2/N),
/// dweight = S2, dbeta = S1; in evaluation dx = weight rstd g.
template <class A>
class BatchNorm final : public Norm<A> {
 public:
  using T = typename A::Scalar;

  /// Step's parameters: {weight, beta, running_mean, running_var, num_batches_tracked}, scalars
  /// {eps, momentum}; empty names are absent.
  BatchNorm(const Step& step, const Setting<A>& setting)
      : Norm<A>(step, setting), running_mean_(step, 2, setting), running_var_(step, 3, setting) {}

  Adjoint<T> adjoint(const Values<T>& g) const override {
    const T s1 = arithmetic_.sum(g, kGradients);
    const T s2 = arithmetic_.dot(g, this->centered() ? this->centered_ : this->xhat_, kGradients);
    const T& rstd = this->statistics_.rstd;
    Adjoint<T> result;
    if (weight_) {
      // No rows: no statistics, and a gradient of 0.
      const bool scaled = this->centered() && !g.empty();
      result.parameters.emplace(weight_.name(), Values<T>{scaled ? s2 * rstd : s2});
    }
    if (this->beta_) result.parameters.emplace(this->beta_.name(), Values<T>{s1});
    const T factor = weight_ ? weight_[0] * rstd : rstd;
    if (!this->claim_.pipeline.batch_statistics) {
      for (const T& v : g) result.input.push_back(factor * v);
    } else if (!g.empty()) {
      result.input = this->input_gradient(g, s1, s2, factor);
    }
    return result;
  }

  /// mean, rstd and the running statistics after the step.
  Named<T> side_values() const override {
    Named<T> values = Norm<A>::side_values();
    if (!running_mean_) return values;
    const Pipeline& pipeline = this->claim_.pipeline;
    const bool update = pipeline.update_running && pipeline.batch_statistics && !this->x_.empty();
    const T& mean = running_mean_[0];
    const T& variance = running_var_[0];
    values.emplace(running_mean_.name(), update ? updated(mean, this->statistics_.mean) : mean);
    values.emplace(running_var_.name(), update ? updated(variance, unbiased()) : variance);
    return values;
  }

 private:
  using Norm<A>::arithmetic_;
  using Norm<A>::weight_;

  Statistics<T> own_statistics() const override {
    if (this->claim_.pipeline.batch_statistics)
      return arithmetic_.statistics(this->x_, this->eps());
    const T& variance = running_var_[0];
    return {running_mean_[0], variance, arithmetic_.rstd(variance, this->eps())};
  }

  /// PyTorch stores the variance with N-1.
  T unbiased() const {
    const T& biased = this->statistics_.variance;
    if (this->x_.size() < 2) return biased;
    return biased * T(static_cast<T>(this->count()) / (this->count() - 1));
  }

  T updated(const T& running, const T& batch) const {
    const auto momentum = static_cast<T>(momentum_factor());
    if (arithmetic_.forms().running == RunningUpdate::lerp)
      return running + momentum * (batch - running);
    return (T(1) - momentum) * running + momentum * batch;
  }

  /// Without a momentum the cumulative average: 1/(batches seen, this one included), a scalar.
  double momentum_factor() const {
    const double momentum = this->step_.scalars.at(1);
    if (!std::isnan(momentum)) return momentum;
    return round_to(this->claim_.contract.scalar, 1 / (this->unit_.batches + 1));
  }

  Parameter<A> running_mean_;
  Parameter<A> running_var_;
};

}  // namespace gradproof
