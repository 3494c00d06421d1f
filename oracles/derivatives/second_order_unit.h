// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "oracles/derivatives/second_order_products.h"
#include "oracles/derivatives/second_order_rounding.h"
#include "oracles/derivatives/unit_range.h"
#include "oracles/differences/steps/tableau.h"

namespace gradproof {

/// One entry computed in two ways; absolute.
struct SecondOrderEntry {
  std::int64_t entry = 0;  ///< row-major in its tensor
  int log2_step = 0;       ///< log2 of h over the scale on which the value changes
  Real product{0};         ///< by dual numbers through the adjoint
  Real difference{0};      ///< difference D(h) of order 6 of the adjoint
  Real self_error{0};      ///< |D(h) - D(2h)|
  Real least{0};           ///< estimated rounding of both; below it both count as 0
  Real permitted{0};       ///< bound on the rounding of both, infinite or NaN without one
};

/// Entries of one tensor. The range of doubles matters in Rough only.
struct SecondOrderReading {
  std::vector<SecondOrderEntry> entries;
  double lost = 0;       ///< bound on the underflow in an entry, absolute
  bool moderate = true;  ///< where all entries of a unit are exactly 0: none underflowed
};

/// log2 of the steps that best_step() compares in an arithmetic, the likeliest first: at order 6
/// truncation and rounding are equal at about unit^(1/7).
template <class T>
inline constexpr std::array<int, 6> kSecondOrderSteps{-22, -16, -28, -34, -13, -10};
template <>
inline constexpr std::array<int, 6> kSecondOrderSteps<Rough>{-14, -11, -17, -20, -8, -23};

/// The adjoint of the adjoint in one unit. With random c on every first-order gradient g,
///
///   M(z, dy) = <c, g(z, dy)>,   z = x and all parameters,
///
/// dM/dz is computed twice. Forward over reverse: g at z + e c, e^2 = 0, has the derivative H c, H
/// the second derivatives of L = sum dy y; H is symmetric, so that (H c)_j = sum_i c_i dg_i/dz_j =
/// dM/dz_j. And by central differences of M. If H is not symmetric, g is not the gradient of a
/// function. dM/d(dy) = J c likewise: the derivative of the value along c, by dual numbers through
/// the value, against differences of the adjoint.
///
/// T is Real or Rough. In Rough the rounding is not estimated and `least` is 0: two ways that agree
/// nevertheless are resolved.
template <template <class> class Arithmetic, class T>
class SecondOrderUnit {
 public:
  SecondOrderUnit(const CompiledPipeline& compiled, const Claim& claim, const Tensors& inputs,
                  std::int64_t unit)
      : geometry_(claim),
        index_(unit),
        tensors_(differentiated(claim, compiled)),
        cotangents_(random_cotangents()),
        compiled_(compiled),
        plain_(compiled, claim, inputs, unit),
        products_(compiled, claim, inputs, unit, tensors_, cotangents_) {
    plain_.runner().forward();
    plain_.runner().backward();
    const double rstd = nearest(rstd_of<T>(compiled, plain_.runner()));
    if (std::isfinite(rstd) && rstd > 1) log2_width_ = -std::ilogb(rstd);
    if constexpr (std::is_same_v<T, Real>)
      measure_rounding(claim, inputs);
    else
      lost_ = most_lost(compiled_, plain_, 2);
  }

  /// The step of kSecondOrderSteps with the smallest |D(h) - D(2h)|, or a fixed part of the
  /// rounding if that is larger.
  int best_step(const Moved& moved, std::int64_t place) {
    constexpr auto kSteps = kSecondOrderSteps<T>;
    int best = kSteps[0];
    std::optional<Real> least;
    for (const int step : kSteps) {
      const SecondOrderEntry e = entry(moved, place, step);
      const Real rounding = e.permitted > e.least ? e.permitted : e.least;
      const Real error = std::max(e.self_error, Real(ldexp(rounding, -kLog2Margin)));
      if (!least || error < *least) best = step;
      least = least ? std::min(*least, error) : error;
      if (error <= abs(e.difference) * kEnough) break;
    }
    return best;
  }

  SecondOrderReading reading(const Moved& moved, const std::vector<std::int64_t>& places,
                             int log2_step) {
    SecondOrderReading result;
    for (const std::int64_t place : places)
      result.entries.push_back(entry(moved, place, log2_step));
    if constexpr (!std::is_same_v<T, Real>) {
      result.lost = lost_;
      if (all_zero(result.entries)) result.moderate = moderate();
    }
    return result;
  }

  SecondOrderEntry entry(const Moved& moved, std::int64_t place, int log2_step) {
    const int exponent = log2_step + (meets_norm(moved) ? log2_width_ : 0);
    Values<T>& numbers =
        moved.cotangent ? plain_.unit().dy : plain_.numbers_of(moved.tensor.movable);
    T& number = numbers[static_cast<std::size_t>(place)];
    std::array<Real, kOrders + 1> odd;
    for (std::size_t k = 0; k < odd.size(); ++k)
      odd[k] = difference(number, exponent + static_cast<int>(k), moved.cotangent);
    SecondOrderEntry entry{entry_of(moved.tensor, geometry_, index_, place), log2_step};
    entry.product = as_real(products_.at(moved, place));
    entry.difference = central(odd.data(), kOrders - 1, exponent);
    entry.self_error = abs(entry.difference - central(odd.data() + 1, kOrders - 1, exponent + 1));
    if constexpr (std::is_same_v<T, Real>) {
      // The step may be lost in a large number; at most half of the entry counts as lost by it.
      const Real lost = ldexp(abs(number), kLog2Luck - exponent) * kRealUnit;
      entry.least = ldexp(moved.cotangent ? least_by_dy_ : least_, -exponent) +
                    abs(entry.product) * std::min(lost, Real(0.5)) +
                    rounding(abs(entry.product - Real(coarse_->at(moved, place))));
      entry.permitted =
          rounding_->of_difference(moved, exponent) + bounded_->at(moved, place).error;
    }
    return entry;
  }

  static bool all_zero(const std::vector<SecondOrderEntry>& entries) {
    return std::all_of(entries.begin(), entries.end(), [](const SecondOrderEntry& e) {
      return e.product == 0 && e.difference == 0;
    });
  }

 private:
  static constexpr std::uint64_t kSeed = 101;
  /// Relative self_error at which no other step is compared: three digits beyond
  /// kSecondOrderDigits.
  static constexpr double kEnough = 1e-23;
  /// These three digits, in bits: the bound on the rounding need only be below the certified
  /// digits.
  static constexpr int kLog2Margin = 10;

  std::vector<Values<double>> random_cotangents() const {
    std::vector<Values<double>> result;
    for (const Differentiated& tensor : tensors_)
      result.push_back(random_direction(tensor, geometry_, index_, kSeed));
    return result;
  }

  /// Whether the moved numbers lie before the norm. They change the value over the norm's width
  /// 1/rstd, sqrt(eps) where the variance is 0.
  bool meets_norm(const Moved& moved) const {
    if (moved.cotangent || moved.tensor.movable.input) return !moved.cotangent;
    const auto number = static_cast<int>(moved.tensor.movable.number);
    for (std::size_t k = 0; k < compiled_.norm && compiled_.has_norm(); ++k)
      for (const int its : compiled_.lines[k].numbers)
        if (its == number) return true;
    return false;
  }

  bool moderate() {
    plain_.runner().forward();
    plain_.runner().backward();
    return all_moderate(compiled_, plain_);
  }

  /// Estimates the rounding of M and prepares that of the products. Every gradient counts with at
  /// least one rounding, even where Coarse has the same value: a term lost in it, as e^-200 in 1,
  /// is in no difference. A gradient that depends on dy alone counts only where dy is moved.
  void measure_rounding(const Claim& claim, const Tensors& inputs) {
    ReadUnit<Arithmetic, Coarse> coarse(compiled_, claim, inputs, index_);
    coarse.runner().forward();
    coarse.runner().backward();
    Real errors(0);
    Real depending(0);
    Real all(0);
    for (std::size_t k = 0; k < tensors_.size(); ++k) {
      const Values<T> gradient = plain_.gradient(tensors_[k]);
      errors += apart(gradient, coarse.gradient(tensors_[k]), cotangents_[k]);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        const Real size = abs(gradient[i] * cotangents_[k][i]);
        all += size;
        if (products_.at({tensors_[k]}, static_cast<std::int64_t>(i)) != 0) depending += size;
      }
    }
    least_ = std::max(rounding(errors), Real(depending * kRealUnit));
    least_by_dy_ = std::max(rounding(errors), Real(all * kRealUnit));
    coarse_.emplace(compiled_, claim, inputs, index_, tensors_, cotangents_);
    rounding_.emplace(compiled_, claim, inputs, index_, tensors_, cotangents_);
    bounded_.emplace(compiled_, claim, inputs, index_, tensors_, cotangents_);
  }

  /// All first-order gradients of the current numbers. `forward`: false where only dy has changed
  /// since the last forward pass.
  std::vector<Values<T>> gradients(bool forward) {
    if (forward) plain_.runner().forward();
    plain_.runner().backward();
    std::vector<Values<T>> result;
    for (const Differentiated& tensor : tensors_) result.push_back(plain_.gradient(tensor));
    return result;
  }

  /// M(+h) - M(-h), h = 2^log2_step, computed once for each number. The difference is taken term by
  /// term, so that the terms that do not change leave no rounding.
  const Real& difference(T& number, int log2_step, bool cotangent) {
    const auto [found, fresh] = moved_.try_emplace({&number, log2_step}, Real(0));
    if (!fresh) return found->second;
    const T start = number;
    const T step = power_of_two(log2_step);
    if (cotangent) plain_.runner().forward();
    number = start + step;
    const std::vector<Values<T>> above = gradients(!cotangent);
    number = start - step;
    const std::vector<Values<T>> below = gradients(!cotangent);
    number = start;
    T sum(0);
    for (std::size_t k = 0; k < above.size(); ++k)
      for (std::size_t i = 0; i < above[k].size(); ++i)
        sum += (above[k][i] - below[k][i]) * T(cotangents_[k][i]);
    found->second = as_real(sum);
    return found->second;
  }

  static T power_of_two(int exponent) {
    if constexpr (std::is_same_v<T, Real>)
      return ldexp(Real(1), exponent);
    else
      return T(std::ldexp(1.0, exponent));
  }

  Geometry geometry_;
  std::int64_t index_;
  std::vector<Differentiated> tensors_;
  std::vector<Values<double>> cotangents_;
  const CompiledPipeline& compiled_;
  ReadUnit<Arithmetic, T> plain_;
  SecondOrderProducts<Arithmetic, T> products_;
  std::optional<SecondOrderProducts<Arithmetic, Coarse>> coarse_;  ///< in Real
  std::optional<SecondOrderRounding<Arithmetic>> rounding_;        ///< in Real
  std::optional<SecondOrderProducts<Arithmetic, Rounded<Real, CorrectRounding>>>
      bounded_;  ///< in Real
  std::map<std::pair<const T*, int>, Real> moved_;
  Real least_{0};        ///< the rounding of M, in Real
  Real least_by_dy_{0};  ///< the same where dy is moved
  double lost_ = 0;      ///< bound on underflow, in Rough
  int log2_width_ = 0;
};

}  // namespace gradproof
