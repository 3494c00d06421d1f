// SPDX-License-Identifier: Apache-2.0
#include "reports/text/audit_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/text/number_text.h"
#include "reports/text/text_table.h"

namespace gradproof {
namespace {

TextRow head() {
  return {"VERDICT", "TENSOR", "REACH", "ENTRIES",    "DIGITS", "MEDIAN",
          "OWN",     "WORST",  "STEP",  "ARITHMETIC", "SECONDS"};
}

std::string joined(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : ", ") + second;
}

TextRow cells(const AuditRow& row) {
  const bool any = has_digits(row);
  return {row.verdict,
          row.tensor,
          row.reach,
          fmt::format("{} of {}", row.entries, numel(row.shape)),
          any ? digits_text(row.digits) : "-",
          any ? digits_text(row.median_digits) : "-",
          any ? digits_text(row.estimate) : "-",
          any ? index_text(row.shape, row.worst_index) : "-",
          any ? fmt::format("2^{}, order {}", row.log2_step, row.order) : "-",
          joined(row.arithmetic, row.method),
          fmt::format("{:.2f}", row.seconds)};
}

std::string indices(const Shape& shape, const std::vector<std::int64_t>& entries) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, entries.size()); ++i)
    text += " " + index_text(shape, entries[i]);
  return text + (entries.size() > kShown ? " ..." : "");
}

/// "kernel 6.1 (0.42)": digits, and error/bound where there is one.
std::string brief_of(const AuditWitness& witness) {
  // Without digits it is the bound alone that it agrees to.
  const std::string text =
      witness.name +
      (std::isnan(witness.digits) ? " 0 within its bound" : " " + digits_text(witness.digits));
  return std::isnan(witness.ratio) ? text : text + fmt::format(" ({})", ratio_text(witness.ratio));
}

/// What the reason does not say already.
std::string loud_line(const AuditRow& row, const AuditWitness& witness) {
  std::string text = fmt::format("    {} {}", witness.name, witness.verdict);
  const bool units = witness.name == "dual numbers" || witness.name.starts_with("second order");
  if (witness.wrong > 0 && !units)
    text += fmt::format(" in {} of {} entries, the worst{}", witness.wrong, numel(row.shape),
                        indices(row.shape, witness.entries));
  if (!std::isnan(witness.ratio) && witness.ratio > 1)
    text += fmt::format(", {} of its bound", ratio_text(witness.ratio));
  if (!witness.text.empty()) text += ": " + witness.text;
  return text + "\n";
}

}  // namespace

std::string digits_text(double digits) {
  if (std::isnan(digits)) return "-";
  if (std::isinf(digits)) return digits > 0 ? "exact" : "none";
  return fmt::format("{:.1f}", digits);
}

bool has_digits(const AuditRow& row) {
  std::int64_t unknown = 0;
  for (const Inconclusive& part : row.inconclusive) unknown += part.entries;
  return row.entries > unknown;
}

const AuditWitness* witness_of(const AuditRow& row, const std::string& name) {
  const auto found = std::find_if(row.witnesses.begin(), row.witnesses.end(),
                                  [&](const AuditWitness& w) { return w.name == name; });
  return found == row.witnesses.end() ? nullptr : &*found;
}

std::string audit_remarks(const AuditRow& row) {
  std::string text;
  if (!row.reason.empty()) text += fmt::format("    {}\n", row.reason);
  if (row.wrong > 0)
    text += fmt::format(
        "    {} entries contradict the adjoint:{}; at {} difference {:.9g}, "
        "adjoint {:.9g}\n",
        row.wrong, indices(row.shape, row.wrong_entries), index_text(row.shape, row.worst_index),
        row.worst_difference, row.worst_adjoint);
  for (const Inconclusive& part : row.inconclusive)
    text += fmt::format("    {} entries inconclusive, the first {}: {}\n", part.entries,
                        index_text(row.shape, part.first), part.reason);
  std::string agreeing;
  for (const AuditWitness& witness : row.witnesses)
    if (witness.verdict == "agrees")
      agreeing +=
          (agreeing.empty() ? "    agree to digits (error/bound): " : "; ") + brief_of(witness);
  if (!agreeing.empty()) text += agreeing + "\n";
  for (const AuditWitness& witness : row.witnesses)
    if (witness.verdict != "agrees" && row.reason.find(witness.name + ": ") == std::string::npos)
      text += loud_line(row, witness);
  return text;
}

std::string audit_table(const std::vector<AuditRow>& rows) {
  if (rows.empty()) return "";
  std::vector<TextRow> table{head()};
  for (const AuditRow& row : rows) table.push_back(cells(row));
  const std::vector<std::string> lines = aligned(table);
  std::string text = "  " + lines.front() + "\n";
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += fmt::format("  {}\n{}", lines[i + 1], audit_remarks(rows[i]));
  return text;
}

}  // namespace gradproof
