// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/unit_pass.h"

#include <algorithm>

namespace gradproof {

Entry entry_of(std::int64_t index, const Real& claimed, const Real* odd, const Real* even,
               int order_index, int log2_h) {
  const Real fine = central(odd, order_index, log2_h);
  Entry entry;
  entry.index = index;
  entry.claimed = extended(claimed);
  entry.fine = extended(fine);
  entry.error = extended(fine - claimed);
  entry.self_error = extended(fine - central(odd + 1, order_index, log2_h + 1));
  entry.jump = extended(jump(even, order_index + 2, log2_h));
  return entry;
}

Values<Entry> unit_pass(const UnitAtRest& unit, const StepChoice& choice, Method method,
                        const std::vector<std::int64_t>& places) {
  const int log2_h = choice.log2_step + unit.log2_scale();
  const auto steps = static_cast<std::size_t>(choice.order_index + 2);
  std::vector<double> moves;
  for (std::size_t k = 0; k < steps; ++k)
    for (const double sign : {1.0, -1.0})
      moves.push_back(std::ldexp(sign, log2_h + static_cast<int>(k)));
  const std::vector<Values<Real>> changes =
      unit.losses().changes(unit.tensor(), places, moves, method);
  Values<Entry> entries;
  for (std::size_t i = 0; i < changes.front().size(); ++i) {
    Real odd[kOrders + 1];
    Real even[kOrders + 1];
    bool unchanged = true;
    for (std::size_t k = 0; k < steps; ++k) {
      odd[k] = changes[2 * k][i] - changes[2 * k + 1][i];
      even[k] = changes[2 * k][i] + changes[2 * k + 1][i];
      unchanged = unchanged && odd[k] == 0 && even[k] == 0;
    }
    const std::int64_t place = places.empty() ? static_cast<std::int64_t>(i) : places[i];
    entries.push_back(
        entry_of(unit.entry(place), unit.claimed(place), odd, even, choice.order_index, log2_h));
    entries.back().unchanged = unchanged;
  }
  return entries;
}

std::optional<Values<Entry>> packed_pass(const UnitAtRest& unit, const StepChoice& choice,
                                         Method method) {
  // Between these sizes no error and no estimate that matters leaves the range of doubles.
  constexpr double kSmallest = 1e-200;
  constexpr double kLargest = 1e200;
  const StepChoice step{choice.order_index, choice.log2_step + unit.log2_scale()};
  const auto found = unit.losses().differences(unit.tensor(), step, method);
  if (!found) return std::nullopt;
  Values<Entry> entries;
  entries.reserve(found->size());
  for (const Difference& difference : *found) {
    const auto& [hi, mid, lo] = difference.claimed;
    Entry& entry = entries.emplace_back();
    entry.index = unit.entry(std::ssize(entries) - 1);
    entry.claimed = hi + (Extended{mid} + lo);
    entry.error = difference.error;
    entry.fine = hi + (Extended{mid} + lo + entry.error);
    entry.self_error = difference.self_error;
    entry.jump = difference.jump;
    const bool in_range = std::abs(entry.claimed) <= kLargest && std::abs(entry.error) <= kLargest;
    if (!in_range || !std::isfinite(entry.self_error) || !std::isfinite(entry.jump))
      return std::nullopt;
  }
  if (!(scale_of(entries) >= kSmallest)) return std::nullopt;
  return entries;
}

Values<Entry> differenced(const UnitAtRest& unit, const StepChoice& choice, Method method,
                          const std::vector<std::int64_t>& places) {
  const bool most = std::ssize(places) > unit.count() / 2;
  const bool by_method = method == Method::together || (method == Method::statistics && most);
  if (!places.empty() && !by_method) return unit_pass(unit, choice, Method::direct, places);
  auto every = packed_pass(unit, choice, method);
  if (!every) every = unit_pass(unit, choice, method);
  if (places.empty()) return *std::move(every);
  Values<Entry> entries;
  for (const std::int64_t place : places)
    entries.push_back((*every)[static_cast<std::size_t>(place)]);
  return entries;
}

}  // namespace gradproof
