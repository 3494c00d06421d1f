// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown.h"

#include <fmt/format.h>

#include "reports/record/tally.h"
#include "reports/resolution_rows.h"
#include "reports/rows.h"
#include "reports/text/evidence.h"
#include "reports/text/number_text.h"
#include "reports/text/text_table.h"

namespace gradproof {
namespace {

double seconds_of(const std::vector<Record>& records) {
  double seconds = 0;
  std::string previous;
  for (const Record& r : records) {
    if (r.case_text != previous) seconds += r.seconds;
    previous = r.case_text;
  }
  return seconds;
}

std::string summary(const StoredRecords& stored) {
  const Tally t = tally(stored);
  std::string text = fmt::format(
      "# gradproof report\n\n"
      "| passed | failed | mistrusted | skipped | incomplete | elements | seconds |\n"
      "|---:|---:|---:|---:|---:|---:|---:|\n"
      "| {} | {} | {} | {} | {} | {} | {:.2f} |\n",
      t.passed, t.failed, t.mistrusted, t.skipped, t.incomplete, t.elements,
      seconds_of(stored.records));
  if (!stored.note.empty()) text += fmt::format("\n{}\n", stored.note);
  for (const Context& c : contexts_of(stored.records))
    text += fmt::format("\n- {}: {}, {}, gradproof {}", c.backend, c.device, c.toolkit, c.version);
  text += "\n";
  if (const std::string truth = truth_line(t); !truth.empty()) text += "\n" + truth + "\n";
  for (const std::string& gap : t.gaps) text += fmt::format("\n**incomplete**: {}\n", gap);
  return text;
}

std::string table(const std::vector<Record>& records) {
  std::string text =
      "\n## Tensors\n\n"
      "| kernel | tensor | cases | passed | failed | mistrusted | other | max error/bound | p99 | "
      "max ulp | error/bound by octave | worst case |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---|\n";
  for (const auto& [name, row] : tensor_rows(records))
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | `{}` | {} `{}` |\n",
                        name.first, name.second, row.cases, row.passed, row.failed, row.mistrusted,
                        row.other, ratio_text(row.max_ratio), ratio_text(row.p99_ratio),
                        brief(row.max_ulp), histogram_digits(row.histogram), row.worst_index,
                        markdown_cell(replay_command(row.worst_case)));
  return text;
}

std::string resolution_table(const std::vector<Record>& records) {
  const std::vector<TextRow> rows = resolution_rows(records);
  return rows.size() == 1 ? "" : "\n## What the passes resolve\n\n" + markdown_table(rows);
}

std::string resolution_lines(const std::vector<Record>& records) {
  const std::vector<TextRow> rows = resolution_rows(records);
  std::string text;
  if (rows.size() > 1)
    for (const std::string& line : aligned(rows)) text += line + "\n";
  return text;
}

/// The messages of the records that `chosen` picks, under a heading; nothing where it picks none.
template <class Chosen>
std::string messages(const std::vector<Record>& records, const std::string& heading,
                     Chosen chosen) {
  std::string text;
  for (const Record& r : records)
    if (chosen(r.verdict.outcome)) text += evidence(r) + "\n";
  return text.empty() ? "" : fmt::format("\n## {}\n\n```\n{}```\n", heading, text);
}

bool proves_nothing(Outcome o) {
  return o == Outcome::mistrusted || o == Outcome::incomplete || o == Outcome::instrument_broken;
}

std::string counts(const BaselineComparison& c) {
  std::string text;
  for (const Change change :
       {Change::improved, Change::unchanged, Change::regressed, Change::added, Change::missing})
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", c.count(change), name_of(change));
  std::int64_t other_bits = 0;
  for (const ChangedTensor& t : c.tensors)
    other_bits += t.change == Change::unchanged && t.other_bits;
  if (other_bits > 0) text += fmt::format(" ({} of the unchanged with other bits)", other_bits);
  if (c.elsewhere > 0) text += fmt::format("; {} tensors of another context left out", c.elsewhere);
  return text;
}

std::string figures(const BaselineEntry& e) {
  if (e.case_text.empty()) return "-";
  return fmt::format("{} / {}", ratio_text(e.max_ratio), ratio_text(e.rms_ratio));
}

const BaselineEntry& named(const ChangedTensor& t) {
  return t.change == Change::missing ? t.before : t.now;
}

}  // namespace

std::string markdown(const StoredRecords& stored) {
  const auto& records = stored.records;
  return summary(stored) + table(records) + resolution_table(records) +
         messages(records, "Wrong", is_wrong) +
         messages(records, "Proves little or nothing", proves_nothing) +
         messages(records, "Skipped", [](Outcome o) { return o == Outcome::skipped; });
}

std::string plain_text(const StoredRecords& stored) {
  std::string text;
  for (const auto& [name, row] : tensor_rows(stored.records))
    text += fmt::format("{} {}  cases {}  passed {}  failed {}  max {} of bound  p99 {}  {} ulp\n",
                        name.first, name.second, row.cases, row.passed, row.failed,
                        ratio_text(row.max_ratio), ratio_text(row.p99_ratio), brief(row.max_ulp));
  text += resolution_lines(stored.records);
  for (const Record& r : stored.records)
    if (r.verdict.outcome != Outcome::passed) text += evidence(r) + "\n";
  if (!stored.note.empty()) text += "note: " + stored.note + "\n";
  const Tally t = tally(stored);
  for (const std::string& gap : t.gaps) text += fmt::format("incomplete: {}\n", gap);
  if (const std::string truth = truth_line(t); !truth.empty()) text += truth + "\n";
  return text + result_line(t, seconds_of(stored.records)) + "\n";
}

std::string markdown(const BaselineComparison& c) {
  std::string text = fmt::format("\n## Against {}\n\n", c.file);
  if (!c.not_comparable.empty()) return text + "**not comparable**: " + c.not_comparable + "\n";
  text += counts(c) + "\n";
  std::string rows;
  for (const ChangedTensor& t : c.tensors)
    if (t.change != Change::unchanged)
      rows += fmt::format("| {} | {} | {} | {} | {} | `{}` |\n", name_of(t.change), named(t).tensor,
                          figures(t.before), figures(t.now), t.why,
                          markdown_cell(replay_command(named(t).case_text)));
  if (rows.empty()) return text;
  return text +
         "\n| change | tensor | max / rms before | now | why | case "
         "|\n|---|---|---|---|---|---|\n" +
         rows;
}

std::string plain_text(const BaselineComparison& c) {
  if (!c.not_comparable.empty())
    return fmt::format("NOT COMPARABLE with {}: {}\n", c.file, c.not_comparable);
  std::string text;
  for (const ChangedTensor& t : c.tensors)
    if (t.change != Change::unchanged)
      text += fmt::format("{}  {}  max/rms {} -> {}  {}\n  replay: {}\n", name_of(t.change),
                          named(t).tensor, figures(t.before), figures(t.now), t.why,
                          replay_command(named(t).case_text));
  return text + fmt::format("against {}: {}\n", c.file, counts(c));
}

}  // namespace gradproof
