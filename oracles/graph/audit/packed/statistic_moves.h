// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <vector>

#include "oracles/graph/audit/moved_tensors.h"
#include "oracles/graph/audit/packed/group_surfaces.h"
#include "oracles/graph/step_context.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The change of L where one number of a group is moved, for all numbers in a few evaluations.
///
/// If z[i], which a norm takes, moves by delta, and e = delta rstd, all other numbers of the group
/// become
///
///   (xhat[k] - v) (1 + w),   v = e/N,   (1 + w)^-2 = 1 + t,   t = e (2 xhat[i] + e - v) / N:
///
/// exactly the group's new mean and variance + eps, in units of the old ones (eps makes no
/// difference). An rms_norm has v = 0; a softmax, whose value y stands for xhat, has v = 0 and
/// 1 + w = 1/(1 + y[i] (exp(delta) - 1)), and a log_softmax v = log(1 + exp(y[i]) (exp(delta) - 1))
/// and w = 0. With F what the steps behind make of a number, each of its own, and
/// S(v, w) = sum_k dy[k] (F((xhat[k] - v) (1 + w)) - F(xhat[k])),
///
///   L' - L = S(v, w) + dy[i] (F(own) - F((xhat[i] - v) (1 + w))),   own: (xhat[i] + e - v) (1 +
///   w).
///
/// S is a function of two small numbers: its values at some nodes are evaluated, once for a group,
/// and interpolated. No derivative of anything is used.
template <class T, class Functions>
class StatisticMoves {
 public:
  using Numbers = FieldNumbers<T>;

  StatisticMoves(const GraphPlan& plan, const MovedTensor& how)
      : plan_(plan),
        step_(plan.steps[static_cast<std::size_t>(how.normaliser)]),
        kind_(how.normaliser_kind),
        count_(static_cast<double>(step_.groups.length)) {}

  /// Evaluates S at its nodes, while all is at rest: evaluate(value of the step) gives dy (F - F at
  /// rest) of each number, and `loss` has |dy F|.
  template <class Evaluate>
  void learn(const Numbers& z, const Numbers& weight, const Numbers& beta, const Numbers& loss,
             const Evaluate& evaluate) {
    weight_ = weight;
    beta_ = beta;
    stand(z);
    surfaces_.fit(sums_by_group(loss), moves_mean(), moves_scale(),
                  [&](const std::vector<T>& v, const std::vector<T>& w) {
                    Numbers value = at_rest_;
                    for (std::size_t k = 0; k < value.size(); ++k)
                      value[k] = affine((value[k] - v[group(k)]) * (T(1) + w[group(k)]), k);
                    return sums_by_group(evaluate(value));
                  });
  }

  /// Takes the moved numbers before the step at some places, each moved alone. `own` is then each
  /// number's own value under the new statistics, `held` that without its own move.
  void take(const std::vector<std::size_t>& places, const Numbers& moved) {
    for (Numbers* each : {&v_, &w_, &own_, &held_}) each->resize(moved.size());
    groups_.resize(moved.size());
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const std::size_t p = places[i];
      const T& x = at_rest_[p];
      const T delta = moved[i] - z_[p];
      T own{};
      if (is_norm()) {
        const T e = delta * rstd_[group(p)];
        v_[i] = kind_ == Normaliser::centred ? T(e / count_) : T(0);
        const T t = e * ((x + x) + (e - v_[i])) / count_;
        const T root = sqrt(T(1) + t);
        w_[i] = -(t / (root * (T(1) + root)));
        own = (x + (e - v_[i])) * (T(1) + w_[i]);
      } else {
        const T grown = Functions::exp(delta);
        const T share = kind_ == Normaliser::softmax ? x : Functions::exp(x);
        const T d = share * (grown - T(1));
        v_[i] = kind_ == Normaliser::softmax ? T(0) : Functions::log1p(d);
        w_[i] = kind_ == Normaliser::softmax ? T(-(d / (T(1) + d))) : T(0);
        own = kind_ == Normaliser::softmax ? T(x * grown * (T(1) + w_[i])) : T(x + (delta - v_[i]));
      }
      own_[i] = affine(own, p);
      held_[i] = affine((x - v_[i]) * (T(1) + w_[i]), p);
      groups_[i] = group(p);
    }
  }
  const Numbers& own() const { return own_; }
  const Numbers& held() const { return held_; }

  /// S(v, w) of the i-th number that was moved; NaN where the interpolation does not reach.
  T of_others(std::size_t i) const { return surfaces_.at(groups_[i], v_[i], w_[i]); }

 private:
  bool is_norm() const { return kind_ == Normaliser::centred || kind_ == Normaliser::uncentred; }
  bool moves_mean() const {
    return kind_ == Normaliser::centred || kind_ == Normaliser::log_softmax;
  }
  bool moves_scale() const { return kind_ != Normaliser::log_softmax; }
  std::size_t groups() const { return static_cast<std::size_t>(step_.groups.count); }
  std::size_t group(std::size_t i) const { return static_cast<std::size_t>(step_.groups.of[i]); }

  T affine(T value, std::size_t i) const {
    if (!weight_.empty()) value = value * weight_[place_in(1, i)];
    if (!beta_.empty()) value = value + beta_[place_in(2, i)];
    return value;
  }
  std::size_t place_in(std::size_t operand, std::size_t i) const {
    const IndexMap& map = step_.maps[operand];
    return map.empty() ? i : static_cast<std::size_t>(map[i]);
  }

  std::vector<T> sums_by_group(const Numbers& numbers) const {
    std::vector<T> sums(groups(), T(0));
    for (std::size_t i = 0; i < numbers.size(); ++i) sums[group(i)] = sums[group(i)] + numbers[i];
    return sums;
  }

  /// Keeps xhat, or the softmax's value, at rest.
  void stand(const Numbers& z) {
    z_ = z;
    at_rest_ = z;
    if (!is_norm()) return stand_exponentials();
    std::vector<T> mean(groups(), T(0));
    if (kind_ == Normaliser::centred) mean = sums_by_group(z);
    for (T& m : mean) m = m / count_;
    Numbers squares = z;
    for (std::size_t i = 0; i < z.size(); ++i) {
      at_rest_[i] = z[i] - mean[group(i)];
      squares[i] = at_rest_[i] * at_rest_[i];
    }
    rstd_ = sums_by_group(squares);
    const T eps(plan_.scalar(step_.step->number("eps")));
    for (T& r : rstd_) r = T(1) / sqrt(r / count_ + eps);
    for (std::size_t i = 0; i < z.size(); ++i) at_rest_[i] = at_rest_[i] * rstd_[group(i)];
  }
  void stand_exponentials() {
    std::vector<T> most(groups(), T(-std::numeric_limits<double>::infinity()));
    for (std::size_t i = 0; i < z_.size(); ++i) most[group(i)] = larger(most[group(i)], z_[i]);
    Numbers terms = z_;
    for (std::size_t i = 0; i < z_.size(); ++i) {
      at_rest_[i] = z_[i] - most[group(i)];
      terms[i] = Functions::exp(at_rest_[i]);
    }
    const std::vector<T> sums = sums_by_group(terms);
    for (std::size_t i = 0; i < z_.size(); ++i)
      at_rest_[i] = kind_ == Normaliser::softmax ? T(terms[i] / sums[group(i)])
                                                 : T(at_rest_[i] - Functions::log(sums[group(i)]));
  }

  const GraphPlan& plan_;
  const PlanStep& step_;
  Normaliser kind_;
  double count_;
  Numbers z_;
  Numbers at_rest_;  ///< xhat, or the value of a softmax
  Numbers weight_;
  Numbers beta_;
  std::vector<T> rstd_;
  GroupSurfaces<T> surfaces_;
  FieldNumbers<std::size_t> groups_;  ///< of the moved numbers
  Numbers v_;
  Numbers w_;
  Numbers own_;
  Numbers held_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
