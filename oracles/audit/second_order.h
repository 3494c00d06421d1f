// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>

#include "core/audit.h"
#include "core/parallel.h"
#include "oracles/audit/second_order_unit.h"

namespace gradproof {

/// What all of a tensor's entries cost, in evaluations of an element by the adjoint, where they are
/// taken one by one; beyond it a stratified sample of entries is taken.
inline constexpr std::int64_t kSecondOrderElements = 1 << 11;
/// Of every tensor that has as many. Random c makes each of them a sum over its whole unit.
inline constexpr std::int64_t kSecondOrderEntries = 2;
/// A unit larger than this is not taken at all: one entry needs kSecondOrderEvaluations of it.
inline constexpr std::int64_t kSecondOrderUnit = 1 << 14;
inline constexpr std::int64_t kSecondOrderEvaluations = 8;
/// What the audit certifies, docs/audit.md.
inline constexpr double kSecondOrderDigits = 20;

/// The entries of a tensor that are asked for, by unit: places in ascending order.
std::map<std::int64_t, std::vector<std::int64_t>> sampled_places(const Claim& claim,
                                                                 const Moved& moved);

/// What the entries say.
AuditWitness second_order_witness(const Claim& claim, const Moved& moved,
                                  const std::vector<SecondOrderEntry>& entries);

/// The adjoint's derivative by the entries of one tensor, or of dy: two ways, entry by entry.
template <template <class> class Arithmetic>
std::vector<SecondOrderEntry> second_order_entries(const Claim& claim, const Tensors& inputs,
                                                   const Moved& moved) {
  const Script script(claim);
  const auto sampled = sampled_places(claim, moved);
  const std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>> units(sampled.begin(),
                                                                              sampled.end());
  if (units.empty()) return {};
  SecondOrderUnit<Arithmetic> first(script, claim, inputs, units.front().first);
  const int log2_step = first.best_step(moved, units.front().second);
  std::vector<std::vector<SecondOrderEntry>> parts(units.size());
  for_each_index(static_cast<std::int64_t>(units.size()), [&](std::int64_t k) {
    const auto& [index, places] = units[static_cast<std::size_t>(k)];
    SecondOrderUnit<Arithmetic> unit(script, claim, inputs, index);
    parts[static_cast<std::size_t>(k)] = unit.entries(moved, places, log2_step);
  });
  std::vector<SecondOrderEntry> result;
  for (const auto& part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

}  // namespace gradproof
