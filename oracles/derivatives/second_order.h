// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/compare/audit_row.h"
#include "core/parallel.h"
#include "oracles/derivatives/second_order_unit.h"

namespace gradproof {

/// The evaluations of an element by the adjoint for one tensor. If all its entries would need more,
/// a stratified sample of them is compared.
inline constexpr std::int64_t kSecondOrderElements = 1 << 10;
/// Entries compared at least, where the tensor has them. c is random, so that each of them is a sum
/// over its whole unit.
inline constexpr std::int64_t kSecondOrderEntries = 3;
/// Elements of the largest unit that is compared; one entry needs kSecondOrderEvaluations of the
/// unit in 400 digits.
inline constexpr std::int64_t kSecondOrderUnit = 1 << 14;
inline constexpr std::int64_t kSecondOrderEvaluations = 4;
/// Digits that the audit certifies (docs/audit.md).
inline constexpr double kSecondOrderDigits = 20;

/// The sampled entries of one unit: which of `moved`, by position there, and its place in the unit.
/// The units are the same for all of `moved`, as far as each has enough entries.
struct SampledUnit {
  std::int64_t unit = 0;
  std::vector<std::pair<std::size_t, std::int64_t>> places;
};
std::vector<SampledUnit> sampled_units(const PipelineTarget& target,
                                       const std::vector<Moved>& moved, std::int64_t wanted);

/// The derivative of the adjoint by the sampled entries of each of `moved`, in N: by dual numbers
/// and by differences. So many of each are wanted.
template <template <class> class Arithmetic, class N>
std::vector<std::vector<SecondOrderEntry>> second_order_entries(const PipelineTarget& target,
                                                                const std::vector<Moved>& moved,
                                                                std::int64_t wanted) {
  const std::vector<SampledUnit> sampled = sampled_units(target, moved, wanted);
  std::vector<std::vector<SecondOrderEntry>> parts(sampled.size());
  for_each_index(std::ssize(sampled), [&](std::int64_t k) {
    const auto at = static_cast<std::size_t>(k);
    SecondOrderUnit<Arithmetic, N> unit(target, sampled[at].unit);
    for (const auto& [m, place] : sampled[at].places)
      parts[at].push_back(unit.entry(moved[m], place));
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

/// The largest product or difference that is finite.
Real largest_of(const std::vector<SecondOrderEntry>& entries);

/// The witnesses by position in `moved`: in triple-doubles if these agree, else in 400 digits. If
/// all entries are so small that underflow may have made them agree, one of them has to be 0 in 50
/// digits too, which have no underflow.
template <template <class> class Arithmetic>
std::vector<AuditWitness> second_order_witnesses(const PipelineTarget& target,
                                                 const std::vector<Moved>& moved) {
  const std::int64_t most = kSecondOrderElements / kSecondOrderEvaluations /
                            std::max<std::int64_t>(1, target.geometry().unit_size());
  const std::int64_t wanted = std::max(kSecondOrderEntries, most);
  const auto entries = second_order_entries<Arithmetic, TripleDouble>(target, moved, wanted);
  std::vector<AuditWitness> witnesses;
  for (std::size_t m = 0; m < moved.size(); ++m) {
    const std::vector<Moved> alone{moved[m]};
    const auto are_zero = [&] {
      const auto one = second_order_entries<Arithmetic, Real>(target, alone, 1);
      return largest_of(one.front()) == 0;
    };
    witnesses.push_back(second_order_witness(target, moved[m], entries[m]));
    if (witnesses.back().verdict == WitnessVerdict::agrees &&
        (largest_of(entries[m]) >= kNoUnderflow || are_zero()))
      continue;
    const auto last = second_order_entries<Arithmetic, Digits400>(target, alone, wanted);
    witnesses.back() = second_order_witness(target, moved[m], last.front());
  }
  return witnesses;
}
extern template std::vector<AuditWitness> second_order_witnesses<Plain>(const PipelineTarget&,
                                                                        const std::vector<Moved>&);

}  // namespace gradproof
