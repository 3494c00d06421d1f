// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/cells.h"

#include <algorithm>

namespace gradproof {

std::vector<CaseRange> ranges_of(std::int64_t count) {
  constexpr std::int64_t kMostRanges = 200;
  const std::int64_t size = std::max<std::int64_t>(1, (count + kMostRanges - 1) / kMostRanges);
  std::vector<CaseRange> ranges;
  for (std::int64_t first = 0; first < count; first += size)
    ranges.push_back({first, std::min(count, first + size)});
  return ranges;
}

void AuditTally::merge(const AuditTally& other) {
  const auto add = [](VerdictCounts& into, const VerdictCounts& from) {
    for (std::size_t k = 0; k < into.size(); ++k) into[k] += from[k];
  };
  entries += other.entries;
  add(rows, other.rows);
  for (const auto& [name, verdicts] : other.by_kernel) add(by_kernel[name], verdicts);
  for (const auto& [name, verdicts] : other.planted) add(planted[name], verdicts);
  alarms.insert(alarms.end(), other.alarms.begin(), other.alarms.end());
  missed.insert(missed.end(), other.missed.begin(), other.missed.end());
}

void PowerTally::merge(const PowerTally& other) {
  const auto add = [](Convictions& into, const Convictions& from) {
    for (std::size_t k = 0; k < into.size(); ++k) into[k] += from[k];
  };
  cases += other.cases;
  add(right, other.right);
  for (const auto& [name, score] : other.mutants) {
    MutantScore& mine = mutants[name];
    mine.kernel = score.kernel;
    mine.cases += score.cases;
    add(mine.convicted, score.convicted);
    add(mine.clearly, score.clearly);
  }
  failures.insert(failures.end(), other.failures.begin(), other.failures.end());
}

}  // namespace gradproof
