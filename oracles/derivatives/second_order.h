// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>

#include "core/compare/audit_row.h"
#include "core/parallel.h"
#include "oracles/derivatives/second_order_unit.h"

namespace gradproof {

/// Evaluations of an element by the adjoint for one tensor. Where all its entries would need more,
/// a stratified sample of them is compared.
inline constexpr std::int64_t kSecondOrderElements = 1 << 11;
/// Entries compared at least, where the tensor has them. c is random, so that each of them is a sum
/// over its whole unit.
inline constexpr std::int64_t kSecondOrderEntries = 3;
/// Elements of the largest unit that is compared; one entry needs kSecondOrderEvaluations of the
/// unit.
inline constexpr std::int64_t kSecondOrderUnit = 1 << 14;
inline constexpr std::int64_t kSecondOrderEvaluations = 8;
/// Digits that the audit certifies (docs/audit.md).
inline constexpr double kSecondOrderDigits = 20;

/// The position of a tensor in `moved`, and its sampled places in ascending order.
using MeetingPlaces = std::pair<std::size_t, std::vector<std::int64_t>>;
/// The sampled entries, by unit. The units are the same for all of `moved`, as far as each has
/// enough entries.
std::map<std::int64_t, std::vector<MeetingPlaces>> sampled_places(const Claim& claim,
                                                                  const std::vector<Moved>& moved);

/// The witness "second order" of one tensor, or that of dy, from its entries.
AuditWitness second_order_witness(const Claim& claim, const Moved& moved,
                                  const std::vector<SecondOrderEntry>& entries);

/// The derivative of the adjoint by the sampled entries of each of `moved`, in T: by dual numbers
/// and by differences.
template <template <class> class Arithmetic, class T>
std::vector<SecondOrderReading> second_order_readings(const Claim& claim, const Tensors& inputs,
                                                      const std::vector<Moved>& moved) {
  using Unit = SecondOrderUnit<Arithmetic, T>;
  const CompiledPipeline compiled(claim);
  const auto sampled = sampled_places(claim, moved);
  std::vector<std::optional<int>> steps(moved.size());
  // Each tensor's step is chosen in its first unit; the object of that unit is used again below.
  std::map<std::int64_t, std::unique_ptr<Unit>> begun;
  for (const auto& [index, asked] : sampled)
    for (const auto& [m, places] : asked) {
      if (steps[m]) continue;
      std::unique_ptr<Unit>& unit = begun[index];
      if (!unit) unit = std::make_unique<Unit>(compiled, claim, inputs, index);
      steps[m] = unit->best_step(moved[m], places.front());
    }
  const std::vector<std::pair<std::int64_t, std::vector<MeetingPlaces>>> units(sampled.begin(),
                                                                               sampled.end());
  std::vector<std::vector<SecondOrderReading>> parts(units.size());
  for_each_index(static_cast<std::int64_t>(units.size()), [&](std::int64_t k) {
    const auto& [index, asked] = units[static_cast<std::size_t>(k)];
    const auto found = begun.find(index);
    const std::unique_ptr<Unit> fresh =
        found == begun.end() ? std::make_unique<Unit>(compiled, claim, inputs, index) : nullptr;
    Unit& unit = fresh ? *fresh : *found->second;
    for (const auto& [m, places] : asked)
      parts[static_cast<std::size_t>(k)].push_back(unit.reading(moved[m], places, *steps[m]));
  });
  std::vector<SecondOrderReading> result(moved.size());
  for (std::size_t k = 0; k < units.size(); ++k)
    for (std::size_t part = 0; part < parts[k].size(); ++part) {
      SecondOrderReading& into = result[units[k].second[part].first];
      const SecondOrderReading& from = parts[k][part];
      into.entries.insert(into.entries.end(), from.entries.begin(), from.entries.end());
      into.lost = std::max(into.lost, from.lost);
      into.moderate = into.moderate && from.moderate;
    }
  return result;
}

/// Whether a reading in Rough suffices: all entries are finite and agree, and underflow is below
/// the wanted digits of the largest; where all are exactly 0, nothing can have underflowed.
bool plainly_agrees(const AuditWitness& witness, const SecondOrderReading& reading);

/// The witnesses by position in `moved`: in Rough, and in Real where that does not suffice.
template <template <class> class Arithmetic>
std::vector<AuditWitness> second_order_witnesses(const Claim& claim, const Tensors& inputs,
                                                 const std::vector<Moved>& moved) {
  const auto quick = second_order_readings<Arithmetic, Rough>(claim, inputs, moved);
  std::vector<AuditWitness> witnesses;
  std::vector<Moved> left;
  std::vector<std::size_t> where;
  for (std::size_t m = 0; m < moved.size(); ++m) {
    witnesses.push_back(second_order_witness(claim, moved[m], quick[m].entries));
    if (plainly_agrees(witnesses.back(), quick[m])) continue;
    left.push_back(moved[m]);
    where.push_back(m);
  }
  if (left.empty()) return witnesses;
  const auto real = second_order_readings<Arithmetic, Real>(claim, inputs, left);
  for (std::size_t k = 0; k < left.size(); ++k)
    witnesses[where[k]] = second_order_witness(claim, left[k], real[k].entries);
  return witnesses;
}

}  // namespace gradproof
