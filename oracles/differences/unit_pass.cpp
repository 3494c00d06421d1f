// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/unit_pass.h"

#include <algorithm>

namespace gradproof {

std::vector<TwoSidedChanges> two_sided(const UnitAtRest& unit,
                                       const std::vector<std::int64_t>& places, Method method,
                                       int finest, int coarsest) {
  std::vector<double> moves;
  for (int step = finest; step <= coarsest; ++step)
    for (const double sign : {1.0, -1.0})
      moves.push_back(std::ldexp(sign, step + unit.log2_scale()));
  const auto changes = unit.losses().changes(unit.tensor(), places, moves, method);
  std::vector<TwoSidedChanges> result(changes.front().size());
  for (std::size_t i = 0; i < result.size(); ++i)
    for (std::size_t k = 0; k < changes.size(); k += 2) {
      result[i].odd.push_back(changes[k][i] - changes[k + 1][i]);
      result[i].even.push_back(changes[k][i] + changes[k + 1][i]);
    }
  return result;
}

Entry entry_of(const UnitAtRest& unit, std::int64_t place, const TwoSidedChanges& changes,
               std::size_t at, const StepChoice& choice) {
  const auto& [order_index, log2_step] = choice;
  const int log2_h = log2_step + unit.log2_scale();
  const Digits400* odd = &changes.odd[at];
  const Digits400* even = &changes.even[at];
  const Digits400 fine = central(odd, order_index, log2_h);
  const Digits400& claimed = unit.claimed(place);
  Entry entry;
  entry.place = place;
  entry.index = unit.entry(place);
  entry.claimed = extended(claimed);
  entry.fine = extended(fine);
  entry.error = extended(fine - claimed);
  entry.self_error = extended(fine - central(odd + 1, order_index, log2_h + 1));
  entry.jump = extended(jump(even, order_index + 2, log2_h));
  const auto is_zero = [](const Digits400& value) { return value == 0; };
  entry.unchanged = std::all_of(odd, odd + order_index + 2, is_zero) &&
                    std::all_of(even, even + order_index + 2, is_zero);
  return entry;
}

Values<Entry> unit_pass(const UnitAtRest& unit, const StepChoice& choice, Method method,
                        const std::vector<std::int64_t>& places) {
  const int coarsest = choice.log2_step + choice.order_index + 1;
  Values<Entry> entries;
  for (const TwoSidedChanges& changes :
       two_sided(unit, places, method, choice.log2_step, coarsest)) {
    const std::int64_t at = std::ssize(entries);
    const std::int64_t place = places.empty() ? at : places[static_cast<std::size_t>(at)];
    entries.push_back(entry_of(unit, place, changes, 0, choice));
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
    entry.place = std::ssize(entries) - 1;
    entry.index = unit.entry(entry.place);
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

Values<Entry> by_method(const UnitAtRest& unit, const StepChoice& choice, Method method,
                        const std::vector<std::int64_t>& places) {
  auto every = packed_pass(unit, choice, method);
  if (!every) every = unit_pass(unit, choice, method);
  if (places.empty()) return *std::move(every);
  Values<Entry> entries;
  for (const std::int64_t place : places)
    entries.push_back((*every)[static_cast<std::size_t>(place)]);
  return entries;
}

Values<Entry> differenced(const UnitAtRest& unit, const StepChoice& choice, Method method,
                          const std::vector<std::int64_t>& places) {
  const bool most = places.empty() || std::ssize(places) > unit.count() / 2;
  const bool cheap = method == Method::together || (method == Method::statistics && most);
  if (places.empty() || cheap) return by_method(unit, choice, method, places);
  return unit_pass(unit, choice, Method::direct, places);
}

}  // namespace gradproof
