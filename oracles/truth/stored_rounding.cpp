// SPDX-License-Identifier: Apache-2.0
#include "oracles/truth/stored_rounding.h"

#include <cmath>
#include <limits>

namespace gradproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The radius as a double that is no smaller. A radius of at most the smallest double becomes that
/// double, which is added to the bound (stored_type.h): no float64 lies nearer.
double rounded_up(const Real& radius) {
  if (radius == 0) return 0;
  if (radius <= Real(kSmallestDouble)) return kSmallestDouble;
  return std::nextafter(radius.convert_to<double>(), kInfinity);
}

}  // namespace

StoredType stored_type_of(DType storage, DType accumulation) {
  StoredType type;
  type.dtype = storage;
  if (unit_roundoff(storage) > unit_roundoff(accumulation)) {
    type.unit = unit_roundoff(storage);
    type.underflow = underflow_unit(storage);
  }
  type.largest = largest_finite(storage);
  type.overflow = type.largest + std::ldexp(1.0, std::ilogb(type.largest) - precision_of(storage));
  return type;
}

// The evaluation with 50 digits rounds by kRealUnit and sums sequentially: its error is at most the
// permitted one, times the quotient of the two units, times the longest chain of additions.
StoredRounding::StoredRounding(const StoredType& type, double chain, DType accumulation,
                               bool order_decides_class)
    : type_(type),
      truth_unit_(chain * kRealUnit / unit_roundoff(accumulation)),
      order_decides_class_(order_decides_class) {}

StoredRounding::StoredRounding(const Claim& claim, const TensorSpec& spec)
    : StoredRounding(stored_type_of(spec.dtype, claim.contract.accumulation),
                     static_cast<double>(claim.rows()) * static_cast<double>(claim.cols()) + 1,
                     claim.contract.accumulation) {
  order_decides_class_ = claim.contract.variance == Variance::welford &&
                         (spec.name == "mean" || spec.role == Role::buffer);
}

Truth StoredRounding::of(const Real& truth, const Permitted& permitted, double beside) const {
  const double hi = truth.convert_to<double>();
  if (!boost::multiprecision::isfinite(truth)) {
    // Welford's infinity minus infinity depends on where in its lane the infinity stands,
    // or on a rounding error, or on an overflow of finite partial results of the other sign.
    const bool may_differ = permitted.overflow && !(permitted.infinite && std::isinf(hi));
    const bool open = may_differ || (std::isinf(hi) && order_decides_class_);
    return {hi, 0, 0, open ? kInfinity : 0, open};
  }
  if (!std::isfinite(hi)) return of(Ball{hi, 0, 0}, permitted);
  Ball ball = ball_of(truth, permitted, beside);
  const bool known = ball.radius < kInfinity;
  // Without a bound on the error there is no bound on the error of 50 digits.
  if (!known) ball.radius = 0;
  Truth stored = of(ball, permitted);
  if (!known) stored.radius = kInfinity;
  return stored;
}

Ball StoredRounding::ball_of(const Real& truth, const Permitted& permitted, double beside) const {
  const double hi = truth.convert_to<double>();
  if (!std::isfinite(hi)) return {hi, 0, kInfinity};
  const Real rest = truth - Real(hi);
  const double lo = rest.convert_to<double>();
  const bool known = !permitted.vacuous && std::isfinite(permitted.error);
  if (!known) return {hi, lo, kInfinity};
  const Real tail = abs(rest - Real(lo));
  const Real evaluation = Real(permitted.error) * Real((1 + kBookkeeping) * truth_unit_);
  return {hi, lo, rounded_up(tail + evaluation + Real(beside))};
}

Truth StoredRounding::of(const Ball& truth, const Permitted& permitted) const {
  const auto r = stored_truth<double>(type_, truth.hi, truth.lo, truth.radius, permitted.error,
                                      permitted.vacuous, permitted.overflow, permitted.infinite);
  return {r.hi, r.lo, r.radius, r.bound, r.any_nonfinite};
}

}  // namespace gradproof
