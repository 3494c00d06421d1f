// SPDX-License-Identifier: Apache-2.0
#pragma once
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

/// The sampled entries of one unit: which of `moved`, by position there, and its place in the unit.
/// The units are the same for all of `moved`, as far as each has enough entries.
struct SampledUnit {
  std::int64_t unit = 0;
  std::vector<std::pair<std::size_t, std::int64_t>> places;
};
std::vector<SampledUnit> sampled_units(const PipelineTarget& target,
                                       const std::vector<Moved>& moved);

/// The derivative of the adjoint by the sampled entries of each of `moved`, in N: by dual numbers
/// and by differences. The step of each is chosen at its first entry.
template <template <class> class Arithmetic, class N>
std::vector<std::vector<SecondOrderEntry>> second_order_entries(const PipelineTarget& target,
                                                                const std::vector<Moved>& moved) {
  const std::vector<SampledUnit> sampled = sampled_units(target, moved);
  std::vector<std::unique_ptr<SecondOrderUnit<Arithmetic, N>>> units(sampled.size());
  const auto unit = [&](std::size_t k) -> SecondOrderUnit<Arithmetic, N>& {
    if (!units[k])
      units[k] = std::make_unique<SecondOrderUnit<Arithmetic, N>>(target, sampled[k].unit);
    return *units[k];
  };
  std::vector<std::optional<int>> steps(moved.size());
  for (std::size_t k = 0; k < sampled.size(); ++k)
    for (const auto& [m, place] : sampled[k].places)
      if (!steps[m]) steps[m] = unit(k).best_step(moved[m], place);
  std::vector<std::vector<SecondOrderEntry>> parts(sampled.size());
  for_each_index(std::ssize(sampled), [&](std::int64_t k) {
    const auto at = static_cast<std::size_t>(k);
    for (const auto& [m, place] : sampled[at].places)
      parts[at].push_back(unit(at).entry(moved[m], place, *steps[m]));
  });
  std::vector<std::vector<SecondOrderEntry>> result(moved.size());
  for (std::size_t k = 0; k < sampled.size(); ++k)
    for (std::size_t i = 0; i < parts[k].size(); ++i)
      result[sampled[k].places[i].first].push_back(parts[k][i]);
  return result;
}

/// The witness "second order" of one tensor, or that of dy, from its entries.
AuditWitness second_order_witness(const PipelineTarget& target, const Moved& moved,
                                  const std::vector<SecondOrderEntry>& entries);

/// Whether entries in Rough suffice: all are finite and agree, and underflow is below the wanted
/// digits of the largest; where all are exactly 0, nothing underflowed.
bool plainly_agrees(const AuditWitness& witness, const std::vector<SecondOrderEntry>& entries);

/// The witnesses by position in `moved`: in Rough, and in Sure where that does not suffice.
template <template <class> class Arithmetic>
std::vector<AuditWitness> second_order_witnesses(const PipelineTarget& target,
                                                 const std::vector<Moved>& moved) {
  const auto rough = second_order_entries<Arithmetic, Rough>(target, moved);
  std::vector<AuditWitness> witnesses;
  std::vector<Moved> left;
  std::vector<std::size_t> where;
  for (std::size_t m = 0; m < moved.size(); ++m) {
    witnesses.push_back(second_order_witness(target, moved[m], rough[m]));
    if (plainly_agrees(witnesses.back(), rough[m])) continue;
    left.push_back(moved[m]);
    where.push_back(m);
  }
  if (left.empty()) return witnesses;
  const auto sure = second_order_entries<Arithmetic, Sure>(target, left);
  for (std::size_t k = 0; k < left.size(); ++k)
    witnesses[where[k]] = second_order_witness(target, left[k], sure[k]);
  return witnesses;
}
extern template std::vector<AuditWitness> second_order_witnesses<Plain>(const PipelineTarget&,
                                                                        const std::vector<Moved>&);

}  // namespace gradproof
