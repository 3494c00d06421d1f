// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "reports/baseline/baseline_file.h"

namespace gradproof {

/// The changes in the order of severity.
enum class Change { failed, regressed, missing, added, improved, unchanged };

/// The name: "failed", "regressed", "missing", "new", "improved", "unchanged".
std::string_view name_of(Change change);

/// The distance of a tensor from its bound: the least error/bound of each is 1, 1/2, 1/16 and 0.
enum class Margin { over, near, within, far };
/// The name: "over the bound", "near the bound", "within the bound", "far below the bound".
std::string_view name_of(Margin margin);
/// The margin of an error/bound; infinite and NaN are over the bound.
Margin margin_of(double ratio);

/// The figure that decided the change.
struct FigureChange {
  std::string figure;  ///< "max", "rms" or "chain"; empty where none left its dead band
  double from = 0;
  double to = 0;
  double band = 1;       ///< a factor up to this one is another draw of the same errors
  bool is_ratio = true;  ///< of error/bound; else additions
};

/// A change of the bound that the figures are of, or of the rung.
struct BoundChange {
  std::string what;  ///< "bound" or "rung"
  std::string from;  ///< its name
  std::string to;
  bool permits_more = false;  ///< the one of now
};

/// One (case, tensor) then and now.
struct ChangedTensor {
  Change change = Change::unchanged;
  std::string kernel;    ///< with its mutant, as in a Record
  BaselineEntry before;  ///< empty for a new one
  BaselineEntry now;     ///< empty for a missing one, without figures where nothing was measured
  bool other_bits = false;
  FigureChange moved;
  std::string note;  ///< of a failed one its verdict; of a missing one why it was not measured

  bool had() const { return !before.case_text.empty(); }
  bool has() const { return !now.case_text.empty(); }
  /// The change of bound or rung, where both sides name it and differ: then no figure is compared.
  std::optional<BoundChange> bound_change() const;
  const BaselineEntry& named() const { return has() ? now : before; }
};

/// Tensors whose Cases in the run and in the baseline differ in one key alone.
struct AlikeCases {
  std::string key;           ///< "seed"; empty: there are none
  std::int64_t tensors = 0;  ///< in both
  bool compared = false;     ///< the key changes the kernel and leaves its inputs
};

struct BaselineComparison {
  std::string file;
  std::string not_comparable;  ///< why nothing was compared, or empty
  std::int64_t elsewhere = 0;  ///< tensors of another context than the file's: left out
  AlikeCases alike;
  std::vector<Ceiling> above;          ///< tensors over their ceiling, with what they have now
  std::vector<ChangedTensor> tensors;  ///< the most severe in front (is_more_severe)

  std::int64_t count(Change change) const;
  /// True if a gate must not take the result for a green light: nothing or not all was compared.
  bool is_incomplete() const;
};

/// The change is failed, improved, unchanged or regressed. A tensor that fails its bound failed,
/// whatever it had before. Equal digests are unchanged whatever the bound does: the executor is
/// deterministic, so the kernel's arithmetic is the same. Otherwise bound and rung decide, then max
/// and rms, with the dead band, then the chain of additions, by a factor of 2. A worst error of
/// half an ulp or less never regresses: it is a correctly rounded result.
ChangedTensor compare_entry(const BaselineEntry& before, const Record& now);

/// True if `a` stands before `b`: by Change; then by how near to the bound it is (Margin), how far
/// error/bound moved, how many times the dead band it grew.
bool is_more_severe(const ChangedTensor& a, const ChangedTensor& b);

/// Not comparable if nothing was measured on the baseline's backend, device and toolkit.
BaselineComparison compare(const std::vector<Record>& records, const Baseline& baseline,
                           const std::string& file);

/// The entry of a baseline for the Record.
BaselineEntry entry_of(const Record& record);
/// True if the Record has figures: skips, crashes and broken instruments have none.
bool has_figures(const Record& record);
/// True if backend, device and toolkit are equal; the version of gradproof is what is compared.
bool are_comparable(const Context& a, const Context& b);
std::string context_text(const Context& context);

}  // namespace gradproof
