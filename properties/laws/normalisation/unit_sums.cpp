// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/normalisation/unit_sums.h"

#include <cmath>

#include "oracles/oracle.h"

namespace gradproof {
namespace {

/// The number of the unit that an element of x belongs to.
std::size_t unit_of(const Claim& claim, std::int64_t index) {
  const std::int64_t row = index / claim.cols;
  const std::int64_t col = index % claim.cols;
  const std::int64_t unit = claim.groups > 0 ? row * claim.groups + col / claim.block_width() : col;
  return static_cast<std::size_t>(unit);
}

Shape shape_of_units(const Claim& claim) {
  return claim.groups > 0 ? Shape{claim.rows, claim.groups} : Shape{claim.cols};
}

}  // namespace

UnitSums sums_of_dx(const LawRun& run) {
  const Claim& claim = run.claim();
  const DType dtype = claim.tensor("d_x").dtype;
  const double u = dtype == claim.contract.accumulation ? 0 : unit_roundoff(dtype);
  const Estimate& d_x = run.near("d_x");
  const Answer bounds = unit_sums_of_dx(claim, run.inputs());
  UnitSums all{{shape_of_units(claim), {}, {}}, {}};
  const auto units = static_cast<std::size_t>(numel(all.sum.shape));
  all.sum.value.resize(units);
  all.size.resize(units);
  for (std::size_t i = 0; i < d_x.size(); ++i) {
    const std::size_t unit = unit_of(claim, static_cast<std::int64_t>(i));
    all.sum.value[unit] += d_x.value[i];
    all.size[unit] += std::abs(d_x.value[i]);
  }
  const auto terms = static_cast<long double>(d_x.size());
  const long double stored = static_cast<long double>(u / (1 - u)) + std::ldexp(terms, -64);
  for (std::size_t unit = 0; unit < units; ++unit)
    all.sum.bound.push_back(static_cast<long double>(bounds.bound.at(unit)) +
                            all.size[unit] * stored +
                            terms * static_cast<long double>(underflow_unit(dtype)));
  for (std::size_t i = 0; i < d_x.size(); ++i)
    if (std::isinf(d_x.bound[i]))
      all.sum.bound[unit_of(claim, static_cast<std::int64_t>(i))] = d_x.bound[i];
  return all;
}

}  // namespace gradproof
