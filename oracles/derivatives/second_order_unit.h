// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <map>

#include "oracles/derivatives/read_unit.h"
#include "oracles/differences/steps/tableau.h"

namespace gradproof {

/// log2 of the steps that best_step() compares in an arithmetic, the likeliest first: at order 6
/// truncation and rounding are equal at about unit^(1/7).
template <class N>
inline constexpr std::array<int, 6> kSecondOrderSteps{-22, -16, -28, -34, -13, -10};
template <>
inline constexpr std::array<int, 6> kSecondOrderSteps<Rough>{-14, -11, -17, -20, -8, -23};

/// The tensor whose entries are moved, by position in the target: one that has a gradient, or dy.
struct Moved {
  std::size_t tensor = 0;
  bool cotangent = false;  ///< dy is moved; `tensor` is then x, whose entries dy matches
};

/// One entry computed in two ways; absolute. The bounds on rounding are infinite or NaN where there
/// is none, and those on underflow alone in Rough.
struct SecondOrderEntry {
  std::int64_t entry = 0;  ///< row-major in its tensor
  int log2_step = 0;       ///< log2 of h over the scale on which the value changes
  Real product{0};         ///< by dual numbers through the adjoint
  Real difference{0};      ///< difference D(h) of order 6 of the adjoint
  Real self_error{0};      ///< |D(h) - D(2h)|
  Real bound{0};           ///< on the rounding of both
};

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
/// N is Sure or Rough. In Rough the rounding is not bounded: two ways that agree nevertheless are
/// resolved, unless underflow decided.
template <template <class> class Arithmetic, class N>
class SecondOrderUnit {
 public:
  SecondOrderUnit(const PipelineTarget& target, std::int64_t unit)
      : target_(target), index_(unit), plain_(target, unit) {
    ReadUnit<Arithmetic, Dual<N>> dual(target, unit);
    for (std::size_t t = 0; t < target.tensors().size(); ++t) {
      cotangents_.push_back(random_direction(target, t, unit, kSeed));
      dual.move_along(t, cotangents_[t]);
    }
    const auto derivatives = [](const Values<Dual<N>>& numbers) {
      Values<N> result;
      for (const Dual<N>& number : numbers) result.push_back(number.d);
      return result;
    };
    value_product_ = derivatives(dual.value());
    for (const Values<Dual<N>>& gradient : dual.adjoint())
      products_.push_back(derivatives(gradient));
    plain_.value();
    log2_width_ = std::min(0, plain_.log2_norm_width());
  }

  /// The step of kSecondOrderSteps with the smallest |D(h) - D(2h)|, or a fixed part of the
  /// rounding if that is larger.
  int best_step(const Moved& moved, std::int64_t place) {
    int best = kSecondOrderSteps<N>[0];
    std::optional<Real> least;
    for (const int step : kSecondOrderSteps<N>) {
      const SecondOrderEntry e = entry(moved, place, step);
      const Real error = std::max(e.self_error, ldexp(e.bound, -kLog2Margin));
      if (!least || error < *least) {
        best = step;
        least = error;
      }
      if (error <= abs(e.difference) * kEnough) break;
    }
    return best;
  }

  SecondOrderEntry entry(const Moved& moved, std::int64_t place, int log2_step) {
    const int exponent = log2_step + (meets_norm(moved) ? log2_width_ : 0);
    const auto at = static_cast<std::size_t>(place);
    std::array<Real, kOrders + 1> odd;
    std::array<Real, kOrders + 1> bound;
    for (std::size_t k = 0; k < odd.size(); ++k)
      std::tie(odd[k], bound[k]) = difference(moved, at, exponent + static_cast<int>(k));
    bound[1] = -bound[1];  // central() subtracts odd[1]
    const N& product = (moved.cotangent ? value_product_ : products_[moved.tensor])[at];
    SecondOrderEntry entry{entry_at(target_, moved.tensor, index_, place), log2_step};
    entry.product = real_of(product.value);
    entry.difference = central(odd.data(), kOrders - 1, exponent);
    entry.self_error = abs(entry.difference - central(odd.data() + 1, kOrders - 1, exponent + 1));
    entry.bound = 2 * Real(product.error) + 2 * central(bound.data(), kOrders - 1, exponent) +
                  abs(entry.product) * lost(numbers_of(moved)[at], exponent);
    return entry;
  }

 private:
  static constexpr std::uint64_t kSeed = 101;
  /// Relative self_error at which no other step is compared: three digits beyond
  /// kSecondOrderDigits.
  static constexpr double kEnough = 1e-23;
  /// These three digits, in bits: the bound on the rounding need only be below the certified
  /// digits.
  static constexpr int kLog2Margin = 10;

  /// Whether the moved numbers lie before the norm. They change the value over the norm's width
  /// 1/rstd, sqrt(eps) where the variance is 0.
  bool meets_norm(const Moved& moved) const {
    const CompiledPipeline& compiled = target_.compiled();
    const Movable movable = target_.movable(moved.tensor);
    if (moved.cotangent || movable.input) return !moved.cotangent;
    for (std::size_t k = 0; k < compiled.norm && compiled.has_norm(); ++k)
      for (const int number : compiled.lines[k].numbers)
        if (number == static_cast<int>(movable.number)) return true;
    return false;
  }

  Values<N>& numbers_of(const Moved& moved) {
    return moved.cotangent ? plain_.dy() : plain_.numbers_of(moved.tensor);
  }

  /// The part of a derivative that is lost where a step is lost in a large number, at most half of
  /// it, so that it does not count as 0: F u |x| / h with F < 2 of central(), where the derivative
  /// at the moved numbers is up to 8 times that at rest.
  static Real lost(const N& number, int log2_step) {
    if constexpr (std::is_same_v<N, Rough>) return Real(0);
    return std::min(Real(0.5), Real(ldexp(abs(real_of(number)), 4 - log2_step) * kRealUnit));
  }

  /// M(+h) - M(-h), h = 2^log2_step, and the bound on its rounding, computed once for each number.
  /// The difference is taken term by term; a gradient that depends on dy alone, so that its
  /// derivative along c is exactly 0, leaves no rounding unless dy is moved.
  const std::pair<Real, Real>& difference(const Moved& moved, std::size_t place, int log2_step) {
    N& number = numbers_of(moved)[place];
    const auto [found, fresh] = moved_.try_emplace({&number, log2_step});
    if (!fresh) return found->second;
    const N start = number;
    const decltype(N::value) step(std::ldexp(1, log2_step));
    const auto gradients_at = [&](const decltype(N::value)& value) {
      number.value = value;
      plain_.value();
      return plain_.adjoint();
    };
    const std::vector<Values<N>> above = gradients_at(start.value + step);
    const std::vector<Values<N>> below = gradients_at(start.value - step);
    number = start;
    N sum(0);
    for (std::size_t k = 0; k < above.size(); ++k)
      for (std::size_t i = 0; i < above[k].size(); ++i)
        if (std::is_same_v<N, Rough> || moved.cotangent || !products_[k][i].is_zero())
          sum += (above[k][i] - below[k][i]) * N(cotangents_[k][i]);
    found->second = {real_of(sum.value), Real(sum.error)};
    return found->second;
  }

  const PipelineTarget& target_;
  std::int64_t index_;
  std::vector<Values<double>> cotangents_;  ///< c, by tensor
  std::vector<Values<N>> products_;         ///< H c, by tensor
  Values<N> value_product_;                 ///< J c
  ReadUnit<Arithmetic, N> plain_;
  std::map<std::pair<const N*, int>, std::pair<Real, Real>> moved_;
  int log2_width_ = 0;
};

}  // namespace gradproof
