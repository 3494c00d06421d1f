// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/compare/record.h"

namespace gradproof {

/// The spread of the figures of one (case, tensor) in runs of the same build whose bits differed:
/// the largest over the smallest.
struct MeasuredNoise {
  std::int64_t runs = 0;  ///< 0: nothing was measured, or all runs had the same bits
  double max = 1;
  double rms = 1;
  friend bool operator==(const MeasuredNoise&, const MeasuredNoise&) = default;
};

/// One (case, tensor) that was accepted.
struct BaselineEntry {
  std::string case_text;
  std::string dtype;
  std::string tensor;
  double max_ratio = 0;
  double p99_ratio = 0;
  double rms_ratio = 0;
  std::string worst;   ///< its index, "[17,3]"
  std::string digest;  ///< of the bits
  MeasuredNoise noise;
  std::optional<ErrorBound> bound = {};  ///< that the figures are of, where the Record says it
  std::optional<Rung> rung = {};         ///< of code that declares nothing
  /// Additions one after the other that its sums have, or are consistent with (SumChain).
  std::optional<std::int64_t> chain = {};
  friend bool operator==(const BaselineEntry&, const BaselineEntry&) = default;
};

/// A limit that an update never exceeds without a line in the ledger (docs/reports.md): the largest
/// error/bound that all Cases of one tensor may have.
struct Ceiling {
  std::string kernel;
  std::string dtype;
  std::string tensor;
  double max_ratio = 0;
  friend bool operator==(const Ceiling&, const Ceiling&) = default;
};

/// The reason why figures were accepted.
struct Reason {
  std::string date;  ///< 2026-11-21
  std::string text;
  friend bool operator==(const Reason&, const Reason&) = default;
};

/// The accepted figures of one context: a text file that diffs well (docs/reports.md).
struct Baseline {
  Context context;
  std::vector<Reason> reasons;         ///< oldest first
  std::vector<Ceiling> ceilings;       ///< sorted by kernel, dtype, tensor
  std::vector<BaselineEntry> entries;  ///< sorted by case, then tensor
  friend bool operator==(const Baseline&, const Baseline&) = default;
};

/// parse_baseline(to_text(b)) == b is a law.
std::string to_text(const Baseline& baseline);

/// Throws UsageError (`file:line: ...`) for what is no baseline, and when the checksum does not
/// fit: the file was edited by hand or damaged. What git and editors do to such files is
/// recognised, and the message says what to do.
Baseline parse_baseline(const std::string& text, const std::string& file);

/// Throw UsageError when the file cannot be read or written. A file that cannot be written stays as
/// it was.
Baseline read_baseline(const std::string& file);
void write_baseline(const Baseline& baseline, const std::string& file);

}  // namespace gradproof
