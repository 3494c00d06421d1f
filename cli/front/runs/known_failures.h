// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/record.h"

namespace gradproof {

/// A file of failures that are known (docs/known-failures.md), a line each:
///
///     CASE | TENSOR | REASON | DATE
///
/// CASE is a Case as it is printed, TENSOR the name of one of its tensors; in both a `*` stands for
/// any text. DATE is 2026-11-28. Blank lines and lines that start with # are skipped.
class KnownFailures {
 public:
  /// Without a file nothing is known.
  KnownFailures() = default;
  /// Throws UsageError (`file:line: ...`) for a line that is none, and as TextFile does.
  explicit KnownFailures(const std::string& path);

  bool empty() const { return lines_.empty(); }

  /// Makes each wrong Record that has a line a known failure; its reason says both.
  void apply(std::vector<Record>& records) const;

  /// A sentence for each line whose tensors all pass, with the line's place. Where `whole` is
  /// false, not all Cases of the run were judged here, and lines with a `*` in their Case may be of
  /// others.
  std::vector<std::string> unexpected_passes(const std::vector<Record>& records, bool whole) const;

  /// "known failures: 3 tensors by 2 of 5 lines of known.txt"
  std::string summary(const std::vector<Record>& records) const;

 private:
  struct Line {
    std::int64_t number = 0;
    std::string case_text, tensor, reason, date;
    bool is_of(const Record& record) const;
  };
  static Line line_of(const std::string& text);

  std::string path_;
  std::vector<Line> lines_;
};

}  // namespace gradproof
