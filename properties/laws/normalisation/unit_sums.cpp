// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/normalisation/unit_sums.h"

#include <cmath>

#include "oracles/oracle.h"
#include "properties/laws/normalisation/moments.h"

namespace gradproof {
namespace {

/// The number of the unit that an element of x belongs to.
std::size_t unit_of(const Claim& claim, std::int64_t index) {
  const std::int64_t row = index / claim.cols();
  const std::int64_t col = index % claim.cols();
  const std::int64_t unit =
      claim.groups() > 0 ? row * claim.groups() + col / claim.block_width() : col;
  return static_cast<std::size_t>(unit);
}

Shape shape_of_units(const Claim& claim) {
  return claim.groups() > 0 ? Shape{claim.rows(), claim.groups()} : Shape{claim.cols()};
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

UnitSums sums_of_dx_along_x(const LawRun& run) {
  const std::int64_t cols = run.claim().cols();
  const Tensor& x = run.given("x");
  const Estimate& d_x = run.near("d_x");
  UnitSums all{{{cols}, {}, {}}, {}};
  for (std::int64_t col = 0; col < cols; ++col) {
    const long double mean = moments_of(column_of(x, run.claim(), col)).mean;
    std::vector<long double> along_x(d_x.size(), 0);
    long double size = 0;
    for (std::int64_t i = col; i < x.numel(); i += cols) {
      const auto at = static_cast<std::size_t>(i);
      along_x[at] = static_cast<long double>(x.at(i)) - mean;
      size += std::abs(along_x[at] * d_x.value[at]);
    }
    const Estimate sum = weighted_sum(d_x, along_x);
    all.sum.value.push_back(sum.value[0]);
    all.sum.bound.push_back(sum.bound[0]);
    all.size.push_back(size);
  }
  return all;
}

}  // namespace gradproof
