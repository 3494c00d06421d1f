// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "core/dtype.h"
#include "oracles/arithmetic/forms.h"
#include "oracles/stage.h"

namespace gradproof {

/// BatchNorm over the rows of one column (Ioffe, Szegedy 2015), as PyTorch's BatchNorm1d:
///
///   xhat = (x - mean) rstd,   y = weight xhat + beta,   rstd = 1/sqrt(variance + eps)
///
/// with the batch's biased variance in training, the running statistics in evaluation. Adjoint in
/// training, S1 = sum g, S2 = sum g xhat:   dx = weight rstd (g - S1/N - xhat S2/N),
/// dweight = S2, dbeta = S1; in evaluation dx = weight rstd g.
template <class A>
class BatchNorm final : public Stage<A> {
 public:
  using T = typename A::Scalar;

  /// Step's parameters: {weight, beta, running_mean, running_var, num_batches_tracked}, scalars
  /// {eps, momentum}; empty names are absent.
  BatchNorm(const Step& step, const Setting<A>& setting)
      : step_(step), claim_(setting.claim), arithmetic_(setting.arithmetic), unit_(setting.unit) {}

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

  Adjoint<T> adjoint(const Values<T>& g) const override {
    const bool centered = arithmetic_.forms().backward == NormBackward::centered;
    const T s1 = arithmetic_.sum(g, kGradients);
    const T s2 = arithmetic_.dot(g, centered ? centered_ : xhat_, kGradients);
    Adjoint<T> result;
    if (has(kWeight)) {
      const bool scaled = centered && !g.empty();  // no rows: no statistics, and a gradient of 0
      result.parameters.emplace(name(kWeight), scaled ? s2 * statistics_.rstd : s2);
    }
    if (has(kBeta)) result.parameters.emplace(name(kBeta), s1);
    const T factor = has(kWeight) ? number(kWeight) * statistics_.rstd : statistics_.rstd;
    if (!claim_.pipeline.batch_statistics) {
      for (const T& v : g) result.input.push_back(factor * v);
    } else if (!g.empty()) {
      const auto mean1 = static_cast<T>(arithmetic_.shared(s1, Symbol::first_sum) / rows());
      const auto mean2 = static_cast<T>(arithmetic_.shared(s2, Symbol::second_sum) / rows());
      result.input =
          centered ? centered_dx(g, mean1, mean2 * (statistics_.rstd * statistics_.rstd), factor)
                   : standardized_dx(g, mean1, mean2, factor);
    }
    return result;
  }

  /// mean, rstd and the running statistics after the step.
  Named<T> side_values() const override {
    Named<T> values{{"mean", statistics_.mean}, {"rstd", statistics_.rstd}};
    if (!has(kRunningMean)) return values;
    const bool update =
        claim_.pipeline.update_running && claim_.pipeline.batch_statistics && !x_.empty();
    const T mean = number(kRunningMean);
    const T variance = number(kRunningVar);
    values.emplace(name(kRunningMean), update ? updated(mean, statistics_.mean) : mean);
    values.emplace(name(kRunningVar), update ? updated(variance, unbiased()) : variance);
    return values;
  }

 private:
  enum Slot { kWeight, kBeta, kRunningMean, kRunningVar, kBatches };

  bool has(Slot slot) const {
    return slot < step_.parameters.size() && !step_.parameters[slot].empty();
  }
  const std::string& name(Slot slot) const { return step_.parameters[slot]; }
  const T& number(Slot slot) const { return unit_.numbers.at(name(slot)); }
  double rows() const { return static_cast<double>(x_.size()); }

  Statistics<T> own_statistics() const {
    const double eps = step_.scalars.at(0);
    if (claim_.pipeline.batch_statistics) return arithmetic_.statistics(x_, eps);
    const T variance = number(kRunningVar);
    return {number(kRunningMean), variance, arithmetic_.rstd(variance, eps)};
  }

  Values<T> plain_affine() const {
    Values<T> y = xhat_;
    for (T& v : y) {
      if (has(kWeight)) v = number(kWeight) * v;
      if (has(kBeta)) v = v + number(kBeta);
    }
    return y;
  }

  /// y = x alpha + (beta - mean alpha), alpha = weight rstd.
  Values<T> folded_affine() const {
    const T alpha = has(kWeight) ? number(kWeight) * statistics_.rstd : statistics_.rstd;
    const T shift = (has(kBeta) ? number(kBeta) : T(0)) - statistics_.mean * alpha;
    Values<T> y;
    y.reserve(x_.size());
    for (const T& v : x_) y.push_back(v * alpha + shift);
    return y;
  }

  Values<T> standardized_dx(const Values<T>& g, const T& mean1, const T& mean2,
                            const T& factor) const {
    Values<T> dx;
    dx.reserve(g.size());
    for (std::size_t i = 0; i < g.size(); ++i)
      dx.push_back(factor * ((g[i] - mean1) - xhat_[i] * mean2));
    return dx;
  }

  Values<T> centered_dx(const Values<T>& g, const T& mean1, const T& slope, const T& factor) const {
    Values<T> dx;
    dx.reserve(g.size());
    for (std::size_t i = 0; i < g.size(); ++i)
      dx.push_back(((g[i] - mean1) - centered_[i] * slope) * factor);
    return dx;
  }

  /// PyTorch stores the variance with N-1.
  T unbiased() const {
    if (x_.size() < 2) return statistics_.variance;
    return statistics_.variance * T(static_cast<T>(rows()) / (rows() - 1));
  }

  T updated(const T& running, const T& batch) const {
    const auto momentum = static_cast<T>(momentum_factor());
    if (arithmetic_.forms().running == RunningUpdate::lerp)
      return running + momentum * (batch - running);
    return (T(1) - momentum) * running + momentum * batch;
  }

  /// Without a momentum the cumulative average: 1/(batches seen, this one included), a scalar.
  double momentum_factor() const {
    const double momentum = step_.scalars.at(1);
    if (!std::isnan(momentum)) return momentum;
    return round_to(claim_.contract.scalar, 1 / (unit_.batches + 1));
  }

  const Step& step_;
  const Claim& claim_;
  const A& arithmetic_;
  const Unit<T>& unit_;
  Values<T> x_;
  Values<T> centered_;
  Values<T> xhat_;
  Statistics<T> statistics_;
};

}  // namespace gradproof
