// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/steps/sampled_entries.h"

#include <algorithm>
#include <set>

#include "oracles/differences/steps/step_rules.h"

namespace gradproof {
namespace {

/// The k-th of `wanted` indices spread over `count`, first and last included.
std::int64_t spread(std::int64_t k, std::int64_t wanted, std::int64_t count) {
  return wanted == 1 ? 0 : k * (count - 1) / (wanted - 1);
}

std::vector<std::int64_t> places_of(const Values<Real>& claimed, std::int64_t wanted) {
  const auto count = static_cast<std::int64_t>(claimed.size());
  const auto smaller = [](const Real& a, const Real& b) { return abs(a) < abs(b); };
  std::set<std::int64_t> places;
  if (count == 0 || wanted == 0) return {};
  const auto add = [&](std::int64_t place) {
    if (static_cast<std::int64_t>(places.size()) < wanted) places.insert(place);
  };
  add(std::max_element(claimed.begin(), claimed.end(), smaller) - claimed.begin());
  add(std::min_element(claimed.begin(), claimed.end(), smaller) - claimed.begin());
  for (std::int64_t k = 0; k < std::min(wanted, count); ++k) add(spread(k, wanted, count));
  for (std::int64_t place = 0; place < count; ++place) add(place);
  return {places.begin(), places.end()};
}

bool vanish(const Values<Real>& claimed) {
  return std::all_of(claimed.begin(), claimed.end(), [](const Real& c) { return c == 0; });
}

/// The unit that contains the largest |claim| of the tensor.
std::int64_t unit_of_largest_claim(LossCache& losses, std::size_t tensor,
                                   AuditArithmetic arithmetic) {
  const AuditTarget& target = losses.target();
  std::int64_t found = target.units_of(0).front();
  Real most(0);
  for (std::int64_t block = 0; block < target.blocks(); ++block)
    for (const std::int64_t unit : target.units_of(block))
      for (const Real& claimed : losses.at(arithmetic, unit).claimed(tensor))
        if (isfinite(claimed) && abs(claimed) > most) {
          most = abs(claimed);
          found = unit;
        }
  return found;
}

/// Replaces `without_gradient`, a unit of the sample whose claims are all 0 (or nullptr), by the
/// unit with the largest claim: a dy of one element leaves most units without a gradient.
void include_largest_claim(std::vector<SampledEntries>& sample, SampledEntries* without_gradient,
                           LossCache& losses, std::size_t tensor, AuditArithmetic arithmetic) {
  if (without_gradient == nullptr) return;
  const std::int64_t unit = unit_of_largest_claim(losses, tensor, arithmetic);
  for (const SampledEntries& of : sample)
    if (of.unit == unit) return;
  *without_gradient = {unit, places_of(losses.at(arithmetic, unit).claimed(tensor),
                                       std::ssize(without_gradient->places))};
}

}  // namespace

std::vector<SampledEntries> strata(LossCache& losses, std::size_t tensor,
                                   AuditArithmetic arithmetic, std::int64_t count) {
  const AuditTarget& target = losses.target();
  const std::int64_t blocks = target.blocks();
  if (blocks == 0) return {};
  const auto units_of_block = static_cast<std::int64_t>(target.units_of(0).size());
  const std::int64_t units = blocks * units_of_block;
  std::vector<SampledEntries> result;
  std::int64_t wanted =
      std::min(units, (count + step_rules::kPlacesOfUnit - 1) / step_rules::kPlacesOfUnit);
  if (wanted == 0) return {};
  const std::int64_t first = target.units_of(0).front();
  const std::int64_t of_unit =
      std::max<std::int64_t>(1, losses.at(arithmetic, first).count(tensor));
  wanted = std::min(units, std::max(wanted, (count + of_unit - 1) / of_unit));
  std::int64_t without_gradient = -1;
  for (std::int64_t k = 0; k < wanted; ++k) {
    const std::int64_t at = spread(k, wanted, units);
    const std::int64_t unit =
        target.units_of(at / units_of_block)[static_cast<std::size_t>(at % units_of_block)];
    const std::int64_t here = count * (k + 1) / wanted - count * k / wanted;
    const Values<Real>& claimed = losses.at(arithmetic, unit).claimed(tensor);
    result.push_back({unit, places_of(claimed, here)});
    if (vanish(claimed)) without_gradient = k;
  }
  include_largest_claim(
      result, without_gradient < 0 ? nullptr : &result[static_cast<std::size_t>(without_gradient)],
      losses, tensor, arithmetic);
  std::erase_if(result, [](const SampledEntries& of) { return of.places.empty(); });
  return result;
}

std::vector<SampledEntries> all_entries(const AuditTarget& target) {
  std::vector<SampledEntries> all;
  for (std::int64_t block = 0; block < target.blocks(); ++block)
    for (const std::int64_t unit : target.units_of(block)) all.push_back({unit, {}});
  return all;
}

}  // namespace gradproof
