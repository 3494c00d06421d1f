// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/unit_pass.h"

#include <algorithm>
#include <cmath>

#include "oracles/differences/evaluate/wide_real.h"

namespace gradproof {
namespace {

constexpr std::size_t kMost = kOrders + 1;

/// Between these sizes no error and no estimate that matters leaves the range of doubles.
constexpr double kSmallest = 1e-200;
constexpr double kLargest = 1e200;

/// Sums of the changes by +move and -move, by place.
struct Moved {
  Values<Real> odd;   ///< L(x + move) - L(x - move)
  Values<Real> even;  ///< L(x + move) - 2 L(x) + L(x - move)
};

Moved moved(PerturbedLoss& losses, std::size_t tensor, double move, Method method,
            const std::vector<std::int64_t>& places) {
  Moved result;
  if (!places.empty()) {
    for (const std::int64_t place : places) {
      const Real above = losses.change_by(method, tensor, place, move);
      const Real below = losses.change_by(method, tensor, place, -move);
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

/// Whether all numbers are exactly 0, or the largest lies between kSmallest and kLargest.
bool in_range(const Differences& of) {
  double largest = 0;
  double others = 0;
  for (std::size_t k = 0; k < of.size(); ++k) {
    if (!std::isfinite(of.claimed[k].hi)) return false;
    largest = std::max({largest, std::abs(of.claimed[k].hi), std::abs(of.error[k])});
    others = std::max({others, std::abs(of.self_error[k]), std::abs(of.jump[k])});
  }
  return largest == 0 ? others == 0 : largest >= kSmallest && largest <= kLargest;
}

}  // namespace

std::optional<Differences> quick_pass(PerturbedLoss& losses, std::size_t tensor,
                                      const StepChoice& choice, Method method) {
  const int log2_h = choice.log2_step + losses.log2_scale(tensor);
  std::optional<Differences> found = losses.differences(tensor, choice.order_index, log2_h, method);
  if (!found || !all_finite(found->error) || !all_finite(found->self_error) ||
      !all_finite(found->jump) || !in_range(*found))
    return std::nullopt;
  return found;
}

double scale_of(const Differences& differences) {
  double scale = 0;
  for (std::size_t k = 0; k < differences.size(); ++k)
    scale = std::max(scale,
                     std::min(std::abs(differences.claimed[k].hi), std::abs(differences.fine(k))));
  return scale;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

Entry entry_of(const Differences& differences, std::size_t place, std::int64_t index) {
  Entry entry;
  entry.index = index;
  entry.claimed = real_of(differences.claimed[place]);
  entry.fine = entry.claimed + differences.error[place];
  entry.coarse = entry.fine - differences.self_error[place];
  entry.jump = differences.jump[place];
  return entry;
}

Values<Entry> unit_pass(PerturbedLoss& losses, std::size_t tensor, const Unmoved& unmoved,
                        const StepChoice& choice, Method method,
                        const std::vector<std::int64_t>& places) {
  const int log2_h = choice.log2_step + unmoved.log2_scale;
  const int steps = choice.order_index + 2;
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
    entry.claimed = unmoved.claimed[static_cast<std::size_t>(place)];
    entry.fine = central(odd.data(), choice.order_index, log2_h);
    entry.coarse = central(odd.data() + 1, choice.order_index, log2_h + 1);
    entry.jump = jump(even.data(), steps, log2_h);
  }
  return entries;
}

}  // namespace gradproof
