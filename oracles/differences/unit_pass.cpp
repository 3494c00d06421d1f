// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/unit_pass.h"

#include <algorithm>
#include <cmath>

#include "oracles/differences/evaluate/wide_real.h"

namespace gradproof {
namespace {

/// Between these sizes no error and no estimate that matters leaves the range of doubles.
constexpr double kSmallest = 1e-200;
constexpr double kLargest = 1e200;

bool all_finite(const EntryOf<double>& entry) {
  return std::isfinite(entry.claimed) && std::isfinite(entry.error) &&
         std::isfinite(entry.self_error) && std::isfinite(entry.jump);
}

}  // namespace

std::optional<QuickPass> QuickPass::of(const UnitAtRest& unit, const StepChoice& choice,
                                       Method method) {
  const int log2_h = choice.log2_step + unit.log2_scale();
  PerturbedLoss& losses = unit.losses();
  std::optional<Differences> found =
      losses.differences(unit.tensor(), choice.order_index, log2_h, method);
  if (!found) return std::nullopt;
  QuickPass pass(*std::move(found));
  const Differences& all = pass.differences_;
  pass.entries_.reserve(all.size());
  double largest = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const EntryOf<double> entry{losses.entry(unit.tensor(), static_cast<std::int64_t>(k)),
                                all.claimed[k].hi + all.claimed[k].mid,
                                all.fine(k),
                                all.error[k],
                                all.self_error[k],
                                all.jump[k]};
    if (!all_finite(entry)) return std::nullopt;
    largest = std::max({largest, std::abs(entry.claimed), std::abs(entry.error)});
    pass.entries_.push_back(entry);
  }
  pass.scale_ = scale_of(pass.entries_);
  if (!(pass.scale_ >= kSmallest) || largest > kLargest) return std::nullopt;
  return pass;
}

Entry QuickPass::in_full(std::size_t place) const {
  Entry entry;
  entry.index = entries_[place].index;
  entry.claimed = real_of(differences_.claimed[place]);
  entry.error = differences_.error[place];
  entry.fine = entry.claimed + entry.error;
  entry.self_error = differences_.self_error[place];
  entry.jump = differences_.jump[place];
  return entry;
}

Entry entry_of(std::int64_t index, const Real& claimed, const Real* odd, const Real* even,
               int order_index, int log2_h) {
  Entry entry;
  entry.index = index;
  entry.claimed = claimed;
  entry.fine = central(odd, order_index, log2_h);
  entry.error = entry.fine - claimed;
  entry.self_error = entry.fine - central(odd + 1, order_index, log2_h + 1);
  entry.jump = jump(even, order_index + 2, log2_h);
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
      unit.losses().changes_of(unit.tensor(), places, moves, method);
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

}  // namespace gradproof
