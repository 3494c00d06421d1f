// SPDX-License-Identifier: Apache-2.0
#include "oracles/audit/unit_pass.h"

#include <cmath>

namespace gradproof {
namespace {

constexpr std::size_t kMost = kOrders + 1;

/// Changes by + and - one step, and what follows from them.
struct Moved {
  Values<Real> odd;
  Values<Real> even;
};

Moved moved(Losses& losses, std::size_t tensor, double move, Method method,
            const std::vector<std::int64_t>& places) {
  Moved result;
  if (!places.empty()) {
    for (const std::int64_t place : places) {
      const Real above = losses.change(tensor, place, move);
      const Real below = losses.change(tensor, place, -move);
      result.odd.push_back(above - below);
      result.even.push_back(above + below);
    }
    return result;
  }
  const Values<Real> above = losses.changes(tensor, move, method);
  const Values<Real>& below = losses.changes(tensor, -move, method);
  result.odd.resize(above.size());
  result.even.resize(above.size());
  for (std::size_t i = 0; i < above.size(); ++i) {
    result.odd[i] = above[i] - below[i];
    result.even[i] = above[i] + below[i];
  }
  return result;
}

}  // namespace

Values<Entry> unit_pass(Losses& losses, std::size_t tensor, const Rest& rest, const Choice& choice,
                        Method method, const std::vector<std::int64_t>& places) {
  const int log2_h = choice.log2_step + rest.log2_scale;
  const int steps = choice.form + 2;
  std::array<Moved, kMost> by_step;
  for (int k = 0; k < steps; ++k)
    by_step[static_cast<std::size_t>(k)] =
        moved(losses, tensor, std::ldexp(1, log2_h + k), method, places);
  Values<Entry> entries(by_step[0].odd.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::array<Real, kMost> odd;
    std::array<Real, kMost> even;
    Entry& entry = entries[i];
    entry.unchanged = true;
    for (std::size_t k = 0; k < static_cast<std::size_t>(steps); ++k) {
      odd[k] = by_step[k].odd[i];
      even[k] = by_step[k].even[i];
      entry.unchanged = entry.unchanged && odd[k] == 0 && even[k] == 0;
    }
    const std::int64_t place = places.empty() ? static_cast<std::int64_t>(i) : places[i];
    entry.index = losses.entry(tensor, place);
    entry.claimed = rest.claimed[static_cast<std::size_t>(place)];
    entry.fine = central(odd.data(), choice.form, log2_h);
    entry.coarse = central(odd.data() + 1, choice.form, log2_h + 1);
    entry.jump = jump(even.data(), steps, log2_h);
  }
  return entries;
}

}  // namespace gradproof
