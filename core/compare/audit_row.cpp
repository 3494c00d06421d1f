// SPDX-License-Identifier: Apache-2.0
#include "core/compare/audit_row.h"

#include <fmt/format.h>

#include "core/error.h"

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

const char* name_of(AuditPhase phase) {
  constexpr std::array kNames{"kernel", "differences", "witnesses"};
  return kNames.at(static_cast<std::size_t>(phase));
}

AuditPhase parse_audit_phase(const std::string& word) {
  for (const AuditPhase phase :
       {AuditPhase::kernel, AuditPhase::differences, AuditPhase::witnesses})
    if (word == name_of(phase)) return phase;
  throw InstrumentError("unknown phase of an audit: '" + word + "'");
}

void settle(AuditRow& row) {
  for (const AuditWitness& witness : row.witnesses) {
    if (witness.verdict != "wrong" && witness.verdict != "mistrusted") continue;
    if (witness.verdict == "wrong") row.verdict = "wrong";
    row.reason += (row.reason.empty() ? "" : "; ") + said_by(row, witness);
  }
}

}  // namespace gradproof
