// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>

#include "core/compare/audit_row.h"
#include "core/parallel.h"
#include "oracles/derivatives/second_order_unit.h"

namespace gradproof {

/// What all of a tensor's entries cost, in evaluations of an element by the adjoint, where they are
/// taken one by one; beyond it a stratified sample of entries is taken.
inline constexpr std::int64_t kSecondOrderElements = 1 << 11;
/// Of every tensor that has as many. Random c makes each of them a sum over its whole unit.
inline constexpr std::int64_t kSecondOrderEntries = 3;
/// A unit larger than this is not taken at all: one entry needs kSecondOrderEvaluations of it.
inline constexpr std::int64_t kSecondOrderUnit = 1 << 14;
inline constexpr std::int64_t kSecondOrderEvaluations = 8;
/// What the audit certifies, docs/audit.md.
inline constexpr double kSecondOrderDigits = 20;

/// Which of several tensors, and its places in ascending order.
using MeetingPlaces = std::pair<std::size_t, std::vector<std::int64_t>>;
/// The entries that are asked for, by unit. The units are the same for all of `moved`, as far as
/// each has entries enough.
std::map<std::int64_t, std::vector<MeetingPlaces>> sampled_places(const Claim& claim,
                                                                  const std::vector<Moved>& moved);

/// What the entries of one tensor say.
AuditWitness second_order_witness(const Claim& claim, const Moved& moved,
                                  const std::vector<SecondOrderEntry>& entries);

/// The adjoint's derivative by the entries of each of `moved`, or of dy, in T: two ways, entry by
/// entry.
template <template <class> class Arithmetic, class T>
std::vector<SecondOrderReading> second_order_readings(const Claim& claim, const Tensors& inputs,
                                                      const std::vector<Moved>& moved) {
  using Unit = SecondOrderUnit<Arithmetic, T>;
  const CompiledPipeline compiled(claim);
  const auto sampled = sampled_places(claim, moved);
  std::vector<std::optional<int>> steps(moved.size());
  // Each tensor's step is chosen in its first unit; which is read on from there.
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

/// Whether Real need not be asked: all entries are finite and agree, and what may have underflowed
/// is below the digits asked for. Where all are exactly 0, that nothing could have underflowed.
bool plainly_agrees(const AuditWitness& witness, const SecondOrderReading& reading);

/// By position in `moved`: in Rough, and where that does not plainly agree in Real.
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
