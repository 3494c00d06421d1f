// SPDX-License-Identifier: Apache-2.0
#include "judge/audit_verdict.h"

#include <fmt/format.h>

namespace gradproof {
namespace {

/// Dual numbers count units and second order counts terms; their own text says how many.
bool counts_entries(const AuditWitness& witness) {
  return witness.name != "dual numbers" && !witness.name.starts_with("second order");
}

std::string said_by(const AuditRow& row, const AuditWitness& witness) {
  std::string text = witness.name + ": ";
  if (witness.verdict != "wrong") text += witness.verdict;
  if (witness.wrong > 0 && counts_entries(witness))
    text += fmt::format("{} of {} entries", witness.wrong, numel(row.shape));
  if (!witness.entries.empty())
    text += fmt::format("{}the worst {}", text.ends_with(": ") ? "" : ", ",
                        index_text(row.shape, witness.entries.front()));
  const bool more = !witness.text.empty() && !text.ends_with(": ");
  return text + (more ? "; " : "") + witness.text;
}

}  // namespace

void settle(AuditRow& row) {
  for (const AuditWitness& witness : row.witnesses) {
    if (witness.verdict != "wrong" && witness.verdict != "mistrusted") continue;
    if (witness.verdict == "wrong") row.verdict = "wrong";
    row.reason += (row.reason.empty() ? "" : "; ") + said_by(row, witness);
  }
}

}  // namespace gradproof
