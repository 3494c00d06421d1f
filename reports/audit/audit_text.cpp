// SPDX-License-Identifier: Apache-2.0
#include "reports/audit/audit_text.h"

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

std::string step_text(const AuditFigures& figures) {
  return has_digits(figures) ? fmt::format("2^{}, order {}", figures.log2_step, figures.order)
                             : "-";
}

TextRow cells(const Record& row) {
  const AuditFigures& figures = row.audit();
  const bool any = has_digits(figures);
  return {std::string(name_of(row.verdict.outcome)),
          row.tensor,
          figures.reach,
          fmt::format("{} of {}", figures.entries, numel(row.shape)),
          any ? digits_text(figures.digits) : "-",
          any ? digits_text(figures.median_digits) : "-",
          any ? digits_text(figures.estimate) : "-",
          any ? index_text(row.shape, figures.worst_index) : "-",
          step_text(figures),
          joined(figures.arithmetic, figures.method),
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
  // A witness without digits agrees to the bound alone.
  const std::string text =
      fmt::format("{} {}", name_of(witness.name),
                  std::isnan(witness.digits) ? "0 within its bound" : digits_text(witness.digits));
  return std::isnan(witness.ratio) ? text : text + fmt::format(" ({})", ratio_text(witness.ratio));
}

std::string loud_line(const Shape& shape, const AuditWitness& witness) {
  std::string text = fmt::format("    {} {}", name_of(witness.name), name_of(witness.verdict));
  if (witness.wrong > 0 && counts_entries(witness.name))
    text += fmt::format(" in {} of {} entries, the worst{}", witness.wrong, numel(shape),
                        indices(shape, witness.entries));
  if (!std::isnan(witness.ratio) && witness.ratio > 1)
    text += fmt::format(", {} of its bound", ratio_text(witness.ratio));
  if (!witness.text.empty()) text += ": " + witness.text;
  return text + "\n";
}

std::string agreeing_line(const std::vector<AuditWitness>& witnesses) {
  std::string text;
  for (const AuditWitness& witness : witnesses)
    if (witness.verdict == WitnessVerdict::agrees)
      text += (text.empty() ? "    agree to digits (error/bound): " : "; ") + brief_of(witness);
  return text.empty() ? "" : text + "\n";
}

/// All remarks beneath a row's line, each line indented by four; empty if there are none.
/// `reasoned`: the reason says already what wrong and mistrusted witnesses have to say.
std::string remarks(const Record& row, bool reasoned) {
  const AuditFigures& figures = row.audit();
  const std::string& reason = row.verdict.reason;
  std::string text;
  if (!reason.empty()) text += fmt::format("    {}\n", reason);
  if (figures.wrong > 0)
    text += fmt::format(
        "    {} entries contradict the adjoint:{}; at {} difference {:.9g}, "
        "adjoint {:.9g}\n",
        figures.wrong, indices(row.shape, figures.wrong_entries),
        index_text(row.shape, figures.worst_index), figures.worst_difference,
        figures.worst_adjoint);
  for (const Inconclusive& part : figures.inconclusive)
    text += fmt::format("    {} entries inconclusive, the first {}: {}\n", part.entries,
                        index_text(row.shape, part.first), name_of(part.reason));
  text += agreeing_line(figures.witnesses);
  for (const AuditWitness& witness : figures.witnesses)
    if (witness.verdict == WitnessVerdict::silent ||
        (witness.verdict != WitnessVerdict::agrees && !reasoned))
      text += loud_line(row.shape, witness);
  return text;
}

/// The line with the facts for which a narrow table has no columns.
std::string step_line(const Record& row) {
  const AuditFigures& figures = row.audit();
  return fmt::format("    step {}; {}; {:.2f} s\n", step_text(figures),
                     joined(figures.arithmetic, figures.method), row.seconds);
}

std::string table_of(const std::vector<Record>& rows, bool reasoned, std::size_t width) {
  constexpr std::size_t kIndent = 2;
  if (rows.empty()) return "";
  std::vector<TextRow> table{head()};
  for (const Record& row : rows) table.push_back(cells(row));
  const bool is_narrow = !fits(table, width - kIndent);
  if (is_narrow) table = without_columns(table, {"STEP", "ARITHMETIC", "SECONDS"});
  std::string text;
  const auto lines = fitted_rows(table, width - kIndent);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& line : lines[i]) text += std::string(kIndent, ' ') + line + "\n";
    if (i == 0) continue;
    const Record& row = rows[i - 1];
    text += filled_lines((is_narrow ? step_line(row) : "") + remarks(row, reasoned), width);
  }
  return text;
}

}  // namespace

std::string digits_text(double digits) {
  if (std::isnan(digits)) return "-";
  if (std::isinf(digits)) return digits > 0 ? "exact" : "none";
  return fmt::format("{:.1f}", digits);
}

bool has_digits(const AuditFigures& figures) {
  std::int64_t unknown = 0;
  for (const Inconclusive& part : figures.inconclusive) unknown += part.entries;
  return figures.entries > unknown;
}

const AuditWitness* witness_of(const AuditFigures& figures, Witness name) {
  const auto found = std::find_if(figures.witnesses.begin(), figures.witnesses.end(),
                                  [&](const AuditWitness& w) { return w.name == name; });
  return found == figures.witnesses.end() ? nullptr : &*found;
}

std::string audit_table(const std::vector<Record>& rows, std::size_t width) {
  return table_of(rows, true, width);
}

std::string audit_table(const std::vector<AuditRow>& rows) {
  std::vector<Record> records;
  for (const AuditRow& row : rows) records.push_back(audit_record({}, row));
  return table_of(records, false, kTextWidth);
}

}  // namespace gradproof
