// SPDX-License-Identifier: Apache-2.0
#include "oracles/explain/bound.h"

#include <cmath>
#include <numeric>

#include "oracles/bounds/with_number_type.h"

namespace gradproof {
namespace {

/// The number type F without underflow.
template <class F>
struct Unbounded : F {
  static constexpr double eta = 0;
  static constexpr double eta_of_sums = 0;
  static constexpr bool flushes = false;
};

template <class F>
Bounded bounded(const ErrorScalar<F>& from) {
  Bounded result;
  result.value = from.v;
  for (std::size_t k = 0; k < kSharedErrors; ++k) result.parts[k] = std::abs(from.c[k]);
  result.parts[kIndependent] = from.e;
  result.vacuous = from.vacuous;
  result.overflow = from.overflow;
  return result;
}

template <class F>
Bounded bound_in(const Claim& claim, const Tensors& inputs,
                 const std::optional<GivenStatistics>& given, const Site& site,
                 Underflow underflow) {
  const Claim site_claim = claim_for(claim, site);
  if (underflow == Underflow::modelled)
    return bounded(error_at<F>(site_claim, inputs, given, site));
  return bounded(error_at<Unbounded<F>>(site_claim, inputs, given, site));
}

}  // namespace

double Bounded::total() const { return std::accumulate(parts.begin(), parts.end(), 0.0); }

Bounded bound_at(const Claim& claim, const Tensors& inputs,
                 const std::optional<GivenStatistics>& given, const Site& site,
                 Underflow underflow) {
  return with_number_type(claim.contract, [&](auto type) {
    return bound_in<decltype(type)>(claim, inputs, given, site, underflow);
  });
}

double storage_error(const Claim& claim, const TensorSpec& spec, const Bounded& bounded) {
  if (unit_roundoff(spec.dtype) <= unit_roundoff(claim.contract.accumulation)) return 0;
  return unit_roundoff(spec.dtype) * (std::abs(bounded.value) + bounded.total()) +
         underflow_unit(spec.dtype);
}

}  // namespace gradproof
