// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "oracles/differences/evaluate/norm_surface.h"
#include "oracles/graph/audit/moved_tensors.h"
#include "oracles/graph/step_context.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The stages that standardise their groups, by what a moved number changes of the others.
enum class Normaliser { centred, uncentred, softmax, log_softmax };

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
        kind_(kind_of(step_.step->stage)),
        count_(static_cast<double>(step_.groups.length)) {}

  /// The value of the step that has no more than these statistics: {v, w} by group, the lanes of a
  /// pack as many of them. evaluate(value) gives sum dy (F - F at rest) of each number.
  template <class Evaluate>
  void learn(const Numbers& z, const Numbers& weight, const Numbers& beta, const Numbers& loss,
             const Evaluate& evaluate) {
    weight_ = weight;
    beta_ = beta;
    stand(z);
    const std::vector<T> allowed = sums_by_group(loss);
    surfaces_.assign(groups(), {});
    log2_box_.assign(groups(), kFirstBox);
    for (int tried = 0; tried < kMostFits; ++tried) {
      table_.assign(groups() * kNodes, T(0));
      fill_table(evaluate);
      bool fits = true;
      for (std::size_t g = 0; g < groups(); ++g)
        fits = fit(g, allowed[g] * rounding() * T(64)) && fits;
      if (fits) return;
    }
  }

  /// Takes the moved numbers before the step, each moved alone. `own` is then each number's own
  /// value under the new statistics, `held` that without its own move.
  void take(const Numbers& moved) {
    for (Numbers* each : {&v_, &w_, &own_, &held_}) each->resize(moved.size());
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const T& x = at_rest_[i];
      const T delta = moved[i] - z_[i];
      T own{};
      if (is_norm()) {
        const T e = delta * rstd_[group(i)];
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
      own_[i] = affine(own, i);
      held_[i] = affine((x - v_[i]) * (T(1) + w_[i]), i);
    }
  }
  const Numbers& own() const { return own_; }
  const Numbers& held() const { return held_; }

  /// S(v, w) of the number that was moved; NaN where the interpolation does not reach.
  T of_others(std::size_t i) const {
    const Surface<T>& surface = surfaces_[group(i)];
    const T none(std::numeric_limits<double>::quiet_NaN());
    if (log2_box_[group(i)] < kLastBox) return none;
    return select(surface.covers(v_[i], w_[i]), surface(v_[i], w_[i]), none);
  }

 private:
  static constexpr int kFirstBox = -12;
  static constexpr int kLastBox = -44;
  static constexpr int kMostFits = 8;
  /// The degree at which the terms of a box of 2^-12 of the distance to a singularity fall below
  /// the rounding of a double-double, roughly.
  static constexpr int kDegree = 8;
  static constexpr std::size_t kNodes = (kDegree + 1) * (kDegree + 1);

  static Normaliser kind_of(std::string_view stage) {
    return stage == "softmax"       ? Normaliser::softmax
           : stage == "log_softmax" ? Normaliser::log_softmax
           : stage == "rms_norm"    ? Normaliser::uncentred
                                    : Normaliser::centred;
  }
  static const T& rounding() {
    static const T worst = observed_rounding<T>();
    return worst;
  }

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
    if (!is_norm()) {
      stand_exponentials();
      return;
    }
    std::vector<T> mean(groups(), T(0));
    if (kind_ == Normaliser::centred) {
      mean = sums_by_group(z);
      for (T& m : mean) m = m / count_;
    }
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

  /// The nodes (a, b) that are evaluated: those on one axis where one number stays 0.
  std::vector<std::size_t> nodes() const {
    std::vector<std::size_t> all;
    for (int a = 0; a <= (moves_mean() ? kDegree : 0); ++a)
      for (int b = 0; b <= (moves_scale() ? kDegree - a : 0); ++b)
        if (a + b > 0) all.push_back(static_cast<std::size_t>(a * (kDegree + 1) + b));
    return all;
  }

  /// Evaluates S at the nodes of each group's box, as many at once as a pack has lanes.
  template <class Evaluate>
  void fill_table(const Evaluate& evaluate) {
    const std::vector<std::size_t> all = nodes();
    constexpr std::size_t kWidth = static_cast<std::size_t>(kLanesOf<T>);
    for (std::size_t first = 0; first < all.size(); first += kWidth) {
      double by_a[kLanesOf<T>] = {}, by_b[kLanesOf<T>] = {};
      const std::size_t count = std::min(kWidth, all.size() - first);
      for (std::size_t k = 0; k < count; ++k) {
        by_a[k] = kLeja.at[all[first + k] / (kDegree + 1)];
        by_b[k] = kLeja.at[all[first + k] % (kDegree + 1)];
      }
      const T a(gradproof::load<Pack>(by_a)), b(gradproof::load<Pack>(by_b));
      Numbers value = at_rest_;
      for (std::size_t i = 0; i < value.size(); ++i) {
        const T box(std::ldexp(1, log2_box_[group(i)]));
        value[i] = affine((at_rest_[i] - a * box) * (T(1) + b * box), i);
      }
      const std::vector<T> sums = sums_by_group(evaluate(value));
      for (std::size_t g = 0; g < groups(); ++g)
        for (std::size_t k = 0; k < count; ++k)
          table_[g * kNodes + all[first + k]] = equal_lanes(sums[g], static_cast<int>(k));
    }
  }
  static T equal_lanes(const T& number, int k) {
    return {Pack(lane(number.hi, k)), Pack(lane(number.lo, k))};
  }

  /// Interpolates the group's table. False if its box is to be narrower, which it is then.
  bool fit(std::size_t g, const T& allowed) {
    int& log2_box = log2_box_[g];
    if (log2_box < kLastBox) return true;  // no box fits
    const double box = std::ldexp(1, log2_box);
    const auto index = [&](double number) {
      int k = 0;
      while (box * kLeja.at[k] != number) ++k;
      return k;
    };
    surfaces_[g].fit(kDegree, box, [&](double v, double w) {
      const int a = moves_mean() ? index(v) : 0;
      const int b = moves_scale() ? index(w) : 0;
      return table_[g * kNodes + static_cast<std::size_t>(a * (kDegree + 1) + b)];
    });
    T above = surfaces_[g].highest_terms();
    if (!any(!(above >= T(0))) && !any(allowed < above)) return true;
    const int before = log2_box;
    for (; any(allowed < above) && log2_box >= kLastBox; --log2_box)
      above = above * T(std::ldexp(1, -kDegree));
    if (log2_box == before) log2_box = kLastBox - 1;
    return false;
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
  std::vector<Surface<T>> surfaces_;
  std::vector<int> log2_box_;
  std::vector<T> table_;
  Numbers v_;
  Numbers w_;
  Numbers own_;
  Numbers held_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
