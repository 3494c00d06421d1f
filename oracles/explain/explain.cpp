// SPDX-License-Identifier: Apache-2.0
#include "oracles/explain/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/arithmetic/certified.h"
#include "oracles/explain/bound.h"
#include "oracles/explain/trace.h"

namespace gradproof {
namespace {

/// The most elements that are evaluated with 50 digits for one explanation: a few seconds.
constexpr std::int64_t kExactly = std::int64_t{1} << 19;
/// Units of a sum among which the largest summand is searched.
constexpr std::int64_t kSummands = 64;

/// Adds the truth: of 50 digits where the site is small enough, otherwise that of double-double.
void add_truth(Explanation& e, const Claim& claim, const Tensors& inputs,
               const std::optional<GivenStatistics>& given, const Site& site,
               const Bounded& bound) {
  e.units = site.all_units;
  const Claim site_claim = claim_for(claim, site);
  if (site.all_units * Geometry(claim).unit_size() > kExactly) {
    e.truth = Real(Real(e.ruled.hi) + Real(e.ruled.lo)).str(30);
    e.radius = e.fast_radius = e.ruled.radius;
    e.fast_decided = e.fast_agrees = true;
    return;
  }
  const Real exact = value_at<Real>(site_claim, inputs, given, site);
  const auto fast = value_at<Certified>(site_claim, inputs, given, site);
  const double chain = static_cast<double>(claim.rows()) * static_cast<double>(claim.cols()) + 1;
  e.truth = exact.str(30);
  e.fifty_digits = true;
  const double share = chain * kRealUnit / unit_roundoff(claim.contract.accumulation);
  e.radius = bound.vacuous ? std::numeric_limits<double>::infinity() : bound.total() * share;
  e.fast_radius = fast.radius;
  e.fast_decided = std::isfinite(fast.radius) && is_decided(fast.radius, bound.total());
  const Real off = abs(exact - Real(fast.hi) - Real(fast.lo));
  e.fast_agrees = std::isfinite(fast.radius) && off <= Real(fast.radius) + Real(e.radius);
}

/// The unit with the largest summand, among the units of the site.
std::int64_t largest_summand(const Claim& claim, const Tensors& inputs,
                             const std::optional<GivenStatistics>& given, const Site& site) {
  const Claim site_claim = claim_for(claim, site);
  double largest = -1;
  std::int64_t found = site.units.front();
  for (const std::int64_t unit : site.units) {
    double size = 0;
    for (const double v :
         numbers_at(evaluate_at(site_claim, Plain<double>(), inputs, given, unit), site))
      size += std::abs(v);
    if (!(size > largest)) continue;
    largest = size;
    found = unit;
  }
  return found;
}

/// The elements of each parameter and buffer that belong to a column.
std::vector<Passage> numbers_of(const Claim& claim, const Tensors& inputs, std::int64_t column) {
  std::vector<Passage> all;
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role != Role::parameter && spec.role != Role::buffer) continue;
    if (spec.dtype == DType::i64) continue;
    const Tensor& tensor = get(inputs, spec.name);
    const double v = tensor.at(tensor.numel() == 1 ? 0 : column);
    all.push_back({spec.name, "", Real(v).str(17), v, 0});
  }
  return all;
}

void add_passages(Explanation& e, const Claim& claim, const Tensors& inputs,
                  const std::optional<GivenStatistics>& given, const TensorSpec& spec,
                  std::int64_t index) {
  const Site site = site_of(claim, spec, index, kSummands);
  const std::int64_t unit =
      site.summed ? largest_summand(claim, inputs, given, site) : site.units.front();
  e.unit = unit_text(claim, unit);
  if (Geometry(claim).unit_size() == 0) return;
  const bool gradient = spec.role == Role::gradient;
  Trace trace =
      trace_of(claim, inputs, gradient ? given : std::nullopt, unit, site.place, gradient);
  e.forward = std::move(trace.forward);
  e.backward = std::move(trace.backward);
  e.statistics = std::move(trace.statistics);
  // In a column the place is a row.
  const Geometry geometry(claim);
  e.numbers = numbers_of(claim, inputs,
                         geometry.first_column(unit) + (geometry.is_grouped() ? site.place : 0));
}

}  // namespace

Explanation explain_element(const Claim& claim, const Tensors& inputs,
                            const std::optional<GivenStatistics>& given, const std::string& tensor,
                            std::int64_t index) {
  const TensorSpec& spec = claim.tensor(tensor);
  const auto gradient_given = spec.role == Role::gradient ? given : std::nullopt;
  Explanation e;
  e.ruled = truths_of(closeup_of(claim, inputs, gradient_given, tensor, {index}), tensor).front();
  const Site all = site_of(claim, spec, index, std::int64_t{1} << 40);
  const Bounded bound = all.all_units * Geometry(claim).unit_size() > kExactly
                            ? Bounded{}
                            : bound_at(claim, inputs, gradient_given, all);
  add_truth(e, claim, inputs, gradient_given, all, bound);
  add_passages(e, claim, inputs, gradient_given, spec, index);
  e.terms = terms_of(claim, inputs, gradient_given, tensor, index);
  return e;
}

}  // namespace gradproof
