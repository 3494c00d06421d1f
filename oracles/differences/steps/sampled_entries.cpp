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

std::vector<std::int64_t> places_of(const Values<Digits400>& claimed, std::int64_t wanted) {
  const auto count = static_cast<std::int64_t>(claimed.size());
  const auto smaller = [](const Digits400& a, const Digits400& b) { return abs(a) < abs(b); };
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

bool vanish(const Values<Digits400>& claimed) {
  return std::all_of(claimed.begin(), claimed.end(), [](const Digits400& c) { return c == 0; });
}

/// The unit that contains the largest |claim| of the tensor.
std::int64_t unit_of_largest_claim(LossCache& losses, AuditArithmetic arithmetic,
                                   const std::vector<std::int64_t>& units) {
  std::int64_t found = units.front();
  Digits400 most(0);
  for (const std::int64_t unit : units)
    for (const Digits400& claimed : losses.at(arithmetic, unit).claimed(losses.tensor()))
      if (isfinite(claimed) && abs(claimed) > most) {
        most = abs(claimed);
        found = unit;
      }
  return found;
}

}  // namespace

std::vector<SampledEntries> strata(LossCache& losses, AuditArithmetic arithmetic,
                                   std::int64_t count) {
  const std::vector<std::int64_t> units = all_units(losses.target());
  if (units.empty() || count == 0) return {};
  const auto claimed = [&](std::int64_t unit) -> const Values<Digits400>& {
    return losses.at(arithmetic, unit).claimed(losses.tensor());
  };
  const std::int64_t of_unit =
      std::max<std::int64_t>(1, losses.at(arithmetic, units.front()).count(losses.tensor()));
  const std::int64_t few = std::min(step_rules::kPlacesOfUnit, of_unit);
  const std::int64_t wanted = std::min(std::ssize(units), (count + few - 1) / few);
  std::vector<SampledEntries> result;
  SampledEntries* without_gradient = nullptr;
  result.reserve(static_cast<std::size_t>(wanted));
  for (std::int64_t k = 0; k < wanted; ++k) {
    const auto at = static_cast<std::size_t>(spread(k, wanted, std::ssize(units)));
    const std::int64_t here = count * (k + 1) / wanted - count * k / wanted;
    const Values<Digits400>& claims = claimed(units[at]);
    result.push_back({units[at], places_of(claims, here)});
    if (vanish(claims)) without_gradient = &result.back();
  }
  if (without_gradient != nullptr) {  // a dy of one element leaves most units without a gradient
    const std::int64_t largest = unit_of_largest_claim(losses, arithmetic, units);
    if (std::ranges::find(result, largest, &SampledEntries::unit) == result.end())
      *without_gradient = {largest,
                           places_of(claimed(largest), std::ssize(without_gradient->places))};
  }
  std::erase_if(result, [](const SampledEntries& of) { return of.places.empty(); });
  return result;
}

}  // namespace gradproof
