// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/messages.h"

#include <fmt/format.h>

namespace gradproof {
namespace {

std::string wrong_reason(const AuditRow& row) {
  return fmt::format(
      "differences agree with themselves to {:.1f} digits, with the gradient to {:.1f}: "
      "the curve is flat",
      row.estimate, row.digits);
}

std::string open_reason(const AuditRow& row) {
  std::string text;
  for (const Inconclusive& of : row.inconclusive)
    text += fmt::format("{}{}: {} of {} entries, the first {}", text.empty() ? "" : "; ", of.reason,
                        of.entries, row.entries, index_text(row.shape, of.first));
  return text;
}

}  // namespace

AuditRow inconclusive(AuditRow row, std::string reason) {
  row.verdict = Outcome::inconclusive;
  row.reason = std::move(reason);
  return row;
}

AuditRow with_verdict(AuditRow row, const EntryTally& tally) {
  if (row.wrong > 0) {
    row.verdict = Outcome::wrong;
    row.reason = wrong_reason(row);
    return row;
  }
  if (tally.inconclusive() > 0) {
    std::string reason = open_reason(row);
    return inconclusive(std::move(row), std::move(reason));
  }
  row.verdict = Outcome::certified;
  if (tally.zeros() > 0 && tally.certified() == 0)
    row.reason = "the gradient is 0, and differences say so too";
  return row;
}

}  // namespace gradproof
