// SPDX-License-Identifier: Apache-2.0
#include "oracles/answering.h"

#include <cfloat>
#include <cmath>
#include <limits>

namespace gradproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The bookkeeping of errors is itself double: at most (N + 100) roundings, N < 2^32.
constexpr double kBookkeeping = 0x1p-20;

}  // namespace

Answering::Answering(const Claim& claim, const TensorSpec& spec, std::string why)
    : storage_(spec.dtype) {
  const auto size = static_cast<std::size_t>(numel(spec.layout.shape));
  answer_.hi.resize(size);
  answer_.lo.resize(size);
  answer_.radius.resize(size);
  answer_.bound.resize(size);
  answer_.any_nonfinite.resize(size);
  answer_.why = std::move(why);
  const DType accumulation = claim.contract.accumulation;
  if (unit_roundoff(spec.dtype) > unit_roundoff(accumulation)) {
    storage_unit_ = unit_roundoff(spec.dtype);
    storage_underflow_ = underflow_unit(spec.dtype);
  }
  // The truth is the same text with rounding kRealUnit and sequential sums: its error is at most
  // the permitted one scaled by the units, times the longest chain there can be.
  const double chain = static_cast<double>(claim.rows) * static_cast<double>(claim.cols) + 1;
  truth_unit_ = chain * kRealUnit / unit_roundoff(accumulation);
  order_decides_class_ = claim.contract.variance == Variance::welford &&
                         (spec.name == "mean" || spec.role == Role::buffer);
}

void Answering::put(std::int64_t index, const Real& truth, const Permitted& permitted) {
  const auto i = static_cast<std::size_t>(index);
  const double hi = truth.convert_to<double>();
  answer_.hi[i] = hi;
  if (!boost::multiprecision::isfinite(truth)) {
    // Welford's infinity minus infinity depends on where in its lane the infinity stands,
    // or on a rounding error, or on an overflow of finite partial results of the other sign.
    answer_.any_nonfinite[i] = permitted.overflow || (std::isinf(hi) && order_decides_class_);
    answer_.bound[i] = answer_.any_nonfinite[i] != 0 ? kInfinity : 0;
    return;
  }
  const double largest = largest_finite(storage_);
  const double half_step = std::ldexp(largest, -precision_of(storage_) - 1);
  const double error = permitted.error * (1 + kBookkeeping);
  const bool overflow_on_the_way = permitted.overflow || !std::isfinite(error);
  const bool vacuous = permitted.vacuous || overflow_on_the_way;
  const double overflow = largest + half_step;
  if (!vacuous && std::abs(hi) - error > overflow) {  // whoever computes it must get an infinity
    answer_.hi[i] = std::copysign(kInfinity, hi);
    return;
  }
  if (!std::isfinite(hi)) {
    answer_.any_nonfinite[i] = true;
    answer_.bound[i] = kInfinity;
    return;
  }
  const Real rest = truth - Real(hi);
  answer_.lo[i] = rest.convert_to<double>();
  const double tail = std::abs((rest - Real(answer_.lo[i])).convert_to<double>());
  answer_.radius[i] = tail * (1 + kBookkeeping) + (rest == 0 ? 0 : DBL_TRUE_MIN);
  const double bound =
      error + storage_unit_ * (std::abs(hi) + error) + (storage_unit_ > 0 ? storage_underflow_ : 0);
  const bool in_range = std::abs(hi) + bound <= largest;
  answer_.bound[i] = vacuous || !in_range ? kInfinity : bound;
  answer_.any_nonfinite[i] = overflow_on_the_way || !in_range;
  if (!vacuous) answer_.radius[i] += error * truth_unit_;
}

void Answering::put_exact(std::int64_t index, double truth) {
  answer_.hi[static_cast<std::size_t>(index)] = truth;
}

}  // namespace gradproof
