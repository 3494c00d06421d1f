// SPDX-License-Identifier: Apache-2.0
#include "oracles/ruling.h"

#include <cfloat>
#include <cmath>
#include <limits>

namespace gradproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The bookkeeping of errors is itself double: at most (N + 100) roundings, N < 2^32.
constexpr double kBookkeeping = 0x1p-20;

}  // namespace

Ruling::Ruling(const Claim& claim, const TensorSpec& spec) : storage_(spec.dtype) {
  const DType accumulation = claim.contract.accumulation;
  if (unit_roundoff(spec.dtype) > unit_roundoff(accumulation)) {
    storage_unit_ = unit_roundoff(spec.dtype);
    storage_underflow_ = underflow_unit(spec.dtype);
  }
  const double largest = largest_finite(storage_);
  overflow_ = largest + std::ldexp(1.0, std::ilogb(largest) - precision_of(storage_));
  // 50 digits are the same text with rounding kRealUnit and sequential sums: the error is at most
  // the permitted one scaled by the units, times the longest chain there can be.
  const double chain = static_cast<double>(claim.rows) * static_cast<double>(claim.cols) + 1;
  truth_unit_ = chain * kRealUnit / unit_roundoff(accumulation);
  order_decides_class_ = claim.contract.variance == Variance::welford &&
                         (spec.name == "mean" || spec.role == Role::buffer);
}

Truth Ruling::of(const Real& truth, const Permitted& permitted, double beside) const {
  const double hi = truth.convert_to<double>();
  if (!boost::multiprecision::isfinite(truth)) {
    // Welford's infinity minus infinity depends on where in its lane the infinity stands,
    // or on a rounding error, or on an overflow of finite partial results of the other sign.
    const bool open = permitted.overflow || (std::isinf(hi) && order_decides_class_);
    return {hi, 0, 0, open ? kInfinity : 0, open};
  }
  if (!std::isfinite(hi)) return finite({hi, 0, 0}, permitted);
  const Real rest = truth - Real(hi);
  const double lo = rest.convert_to<double>();
  const double tail = std::abs((rest - Real(lo)).convert_to<double>());
  double radius = tail * (1 + kBookkeeping) + (rest == 0 ? 0 : DBL_TRUE_MIN) + beside;
  if (!permitted.vacuous && !permitted.overflow && std::isfinite(permitted.error))
    radius += permitted.error * (1 + kBookkeeping) * truth_unit_;
  return finite({hi, lo, radius}, permitted);
}

Truth Ruling::of(const Ball& truth, const Permitted& permitted) const {
  if (!(truth.radius < kInfinity)) return {truth.hi, truth.lo, kInfinity, kInfinity, false};
  return finite(truth, permitted);
}

/// Of a truth that is no infinity itself; hi may be one where double's range is too small.
Truth Ruling::finite(const Ball& truth, const Permitted& permitted) const {
  const double error = permitted.error * (1 + kBookkeeping);
  const bool overflow_on_the_way = permitted.overflow || !std::isfinite(error);
  const bool vacuous = permitted.vacuous || overflow_on_the_way;
  const double size = std::abs(truth.hi);
  if (!vacuous &&
      size - error - truth.radius > overflow_)  // whoever computes it must get an infinity
    return {std::copysign(kInfinity, truth.hi), 0, 0, 0, false};
  if (!std::isfinite(truth.hi)) return {truth.hi, 0, 0, kInfinity, true};
  const bool exact = error == 0 && truth.lo == 0 && truth.radius == 0;
  const bool stored_as_is =
      storage_unit_ == 0 || (exact && round_to(storage_, truth.hi) == truth.hi);
  const double bound =
      stored_as_is ? error : error + storage_unit_ * (size + error) + storage_underflow_;
  const bool in_range = size + bound <= largest_finite(storage_);
  return {truth.hi, truth.lo, truth.radius, vacuous || !in_range ? kInfinity : bound,
          overflow_on_the_way || !in_range};
}

}  // namespace gradproof
