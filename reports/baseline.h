// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "reports/baseline_file.h"

namespace gradproof {

enum class Change { improved, unchanged, regressed, added, missing };

/// "improved", "unchanged", "regressed", "new", "missing".
std::string_view name_of(Change change);

/// One (case, tensor) then and now.
struct ChangedTensor {
  Change change = Change::unchanged;
  BaselineEntry before;  ///< empty for a new one
  BaselineEntry now;     ///< empty for a missing one
  bool other_bits = false;
  std::string why;  ///< "max grew 3.1 times; 1.4 is another draw of the same errors"
};

struct BaselineComparison {
  std::string file;
  std::string not_comparable;  ///< why nothing was compared, or empty
  std::int64_t elsewhere = 0;  ///< tensors of another context than the file's: left out
  std::vector<ChangedTensor> tensors;

  std::int64_t count(Change change) const;
};

/// How much max and rms may move without a verdict: what another draw of the same rounding errors
/// does. With n independent errors the rms of normal draws varies by 1/sqrt(2n) of itself and their
/// maximum by about 1/(2 ln n) (Gumbel's law); three times that is allowed. n counts the columns,
/// because the elements of a column share the errors of its statistics.
struct DeadBand {
  double max = 1;
  double rms = 1;
};
DeadBand dead_band(const Shape& shape);

/// improved, unchanged or regressed. Equal digests are unchanged whatever the bound does: the
/// executor is deterministic, so the kernel's arithmetic is the same. Otherwise max and rms decide,
/// with the dead band. A worst error of half an ulp or less never regresses: it is a correctly
/// rounded result.
ChangedTensor compare_entry(const BaselineEntry& before, const Record& now);

/// Records without a measure (skips, crashes) are left out. Another backend, device or toolkit in
/// all records: not comparable.
BaselineComparison compare(const std::vector<Record>& records, const Baseline& baseline,
                           const std::string& file);

/// A baseline of exactly these records; `before` hands on its reasons. Throws UsageError for
/// records of several contexts or another than before's, for failures among them, and when there is
/// none.
Baseline make_baseline(const std::vector<Record>& records, const Baseline* before,
                       const Reason& reason);

}  // namespace gradproof
