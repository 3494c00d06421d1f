// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "reports/baseline/baseline_file.h"

namespace gradproof {

/// A line of a ledger: a ceiling that people agreed to raise, and why. A ledger is written by hand
/// and reviewed; no program writes one.
struct RaisedCeiling {
  Ceiling ceiling;
  std::string reason;
};

/// `KERNEL | DTYPE | TENSOR | max NUMBER | REASON`; empty lines and those that start with # are for
/// people. Throws UsageError (`file:line: ...`).
std::vector<RaisedCeiling> parse_ledger(const std::string& text, const std::string& file);
/// The lines of the ledger in the file; empty if there is no such file.
std::vector<RaisedCeiling> read_ledger(const std::string& file);

/// The most that each kernel's tensor in each dtype may reach: the largest error/bound of the
/// Records times its dead band, and no more than 1.
std::vector<Ceiling> ceilings_of(const std::vector<Record>& records);

/// Tensors of the Records that are over their ceiling, with the largest error/bound that they have.
/// A correctly rounded result (half an ulp or less) is never over one.
std::vector<Ceiling> above_ceilings(const std::vector<Ceiling>& ceilings,
                                    const std::vector<Record>& records);

/// The ceilings of a baseline that takes the Records: those it had, raised where the ledger says so
/// and never otherwise, and new ones for tensors that had none. Sorted.
std::vector<Ceiling> updated_ceilings(const std::vector<Ceiling>& before,
                                      const std::vector<RaisedCeiling>& ledger,
                                      const std::vector<Record>& records);

/// `KERNEL | DTYPE | TENSOR | max NUMBER`, as in baseline and ledger.
std::string ceiling_text(const Ceiling& ceiling);

}  // namespace gradproof
