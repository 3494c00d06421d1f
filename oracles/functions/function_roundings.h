// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "core/tensor/philox.h"
#include "oracles/functions/function_call.h"
#include "oracles/functions/function_target.h"

namespace gradproof {

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Measures the rounding error of a function's value in each arithmetic against 400 or 600 digits:
/// at the inputs and at points near them, as roundings may vanish at round numbers. The measurement
/// is needed because values that cancel inside the function do not show in its outputs.
template <class F>
class Roundings {
 public:
  Roundings(const FunctionCall<F>& call, const FunctionTarget& target)
      : call_(call), target_(target) {
    for (std::size_t k = 0; k < kMoves.size(); ++k) {
      exact_[k] = value<Digits400>(k);
      magnitude_ = std::max(magnitude_, size_of(exact_[k]));
    }
  }

  MeasuredRoundings measured(bool gradients_cancel) const {
    const Real real = worst<Real>(exact_);
    MeasuredRoundings result;
    result.cancels = gradients_cancel || real > magnitude_ * Real(kCancelling * kRealUnit);
    result.double_double = noticed(worst<DoubledOf<double>>(exact_), 0x1p-104);
    result.triple_double = noticed(worst<TripledOf<double>>(exact_), 0x1p-156);
    if (!result.cancels) return result;
    const Real last = worst<Digits400>(wider());
    result.digits400 = noticed(last, precision_of(AuditArithmetic::digits400).unit);
    result.lost = last > magnitude_ * Real(kCancelling * kRealUnit);
    return result;
  }

  /// Whether the gradients lost more digits than a chain of operations loses:
  ///   error > 2^20 kRealUnit max(largest |gradient|, sum |dy y| / width).
  bool cancel(const std::vector<Values<Real>>& gradients,
              const std::vector<Values<Real>>& exact) const {
    for (std::size_t tensor = 0; tensor < gradients.size(); ++tensor) {
      Real error(0);
      Real largest = ldexp(magnitude_, -target_.log2_scale(tensor));
      for (std::size_t i = 0; i < gradients[tensor].size(); ++i) {
        const Real& gradient = exact[tensor][i];
        if (!isfinite(gradient)) continue;
        largest = std::max(largest, Real(abs(gradient)));
        error = std::max(error, Real(abs(gradients[tensor][i] - gradient)));
      }
      if (error > largest * Real(kCancelling * kRealUnit)) return true;
    }
    return false;
  }

 private:
  static constexpr double kCancelling = 0x1p20;
  static constexpr double kNoticed = 0x1p8;  ///< a chain of operations has about so many roundings
  static constexpr double kUnlucky = 4;      ///< factor for points that are not measured
  static constexpr double kMost = 1e300;
  static constexpr std::array<int, 4> kMoves{
      0, -2, -12, -30};  ///< log2 over the number's width; the first point does not move

  template <class R>
  using Points = std::array<std::vector<R>, kMoves.size()>;

  template <class V>
  std::vector<V> value(std::size_t point) const {
    auto in = call_.template inputs<V>();
    const Stream stream(point, "roundings");
    std::uint64_t draw = 0;
    for (std::size_t k = 0; k < in.size(); ++k)
      for (std::size_t i = 0; i < in[k].size(); ++i) {
        const double move = 2 * stream.uniform(draw++) - 1;
        const double width = std::ldexp(move, target_.log2_width(k, i) + kMoves[point]);
        if (point > 0) in[k][i] = Traced<V>(V(in[k][i].value() + V(width)));
      }
    BranchTrace trace;
    std::vector<V> result;
    for (const Traced<V>& y : call_.value(in, trace)) result.push_back(y.value());
    return result;
  }

  Points<Digits600> wider() const {
    Points<Digits600> result;
    for (std::size_t k = 0; k < kMoves.size(); ++k) result[k] = value<Digits600>(k);
    return result;
  }

  /// Sum of |dy y| over the outputs that have a value.
  Real size_of(const std::vector<Digits400>& y) const {
    Real sum(0);
    for (std::size_t i = 0; i < y.size(); ++i)
      if (has_value(y[i])) sum += abs(Real(target_.dy()[i] * real_of(y[i])));
    return sum;
  }

  /// The largest sum of |dy (y - exact y)| of all points.
  template <class V, class R>
  Real worst(const Points<R>& exact) const {
    Real result(0);
    for (std::size_t k = 0; k < kMoves.size(); ++k) {
      const std::vector<V> y = value<V>(k);
      R sum(0);
      for (std::size_t i = 0; i < y.size(); ++i)
        if (has_value(y[i]) && has_value(exact[k][i]))
          sum += abs(R(target_.dy()[i] * (converted<R>(y[i]) - exact[k][i])));
      result = std::max(result, Real(sum));
    }
    return result;
  }

  template <class R, class V>
  static R converted(const V& y) {
    if constexpr (WideNumber<V>)
      return R(real_of(y));
    else
      return R(y);
  }

  /// The error in units of the arithmetic; 0 where it is at most 2^8 units of the magnitude.
  double noticed(const Real& error, long double unit) const {
    if (!(error > magnitude_ * Real(kNoticed) * Real(unit))) return 0;
    return std::min(kMost, Real(error * kUnlucky / Real(unit)).template convert_to<double>());
  }

  const FunctionCall<F>& call_;
  const FunctionTarget& target_;
  Points<Digits400> exact_;
  Real magnitude_{0};
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
