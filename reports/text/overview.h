// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "reports/text/text_table.h"

namespace gradproof {

/// The table that a run of many Cases shows when it is over: one row a kernel (with its mutant's
/// name, if any), after a head. Its columns: Cases; for each dtype of the run the tensors that
/// passed, "895 ok", or of all those that are wrong, "14 of 895 WRONG"; those that are Mistrusted;
/// the largest error/bound and its tensor; and what the passes resolve in float32 (in the kernel's
/// first dtype, if none is float32): the worst `whole` of any of them (core/compare/resolution.h).
std::vector<TextRow> overview_rows(const std::vector<Record>& records);

/// "passes: 12 on rung 'fused', 3 on rung 'operator at a time'"; empty where no code left open what
/// it rounds.
std::string rungs_line(const std::vector<Record>& records);

/// "3 tensors of which a part is judged (elements=all judges all)"; empty where there is none.
std::string samples_line(const std::vector<Record>& records);

/// "consistent with chains of 24 additions or more of 63 (d_weight of mine)": the longest of the
/// passes' chains; empty where none has one.
std::string chains_line(const std::vector<Record>& records);

}  // namespace gradproof
