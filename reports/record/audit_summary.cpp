// SPDX-License-Identifier: Apache-2.0
#include "reports/record/audit_summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "reports/audit_svg.h"
#include "reports/text/audit_text.h"
#include "reports/text/number_text.h"

namespace gradproof {
namespace {

/// The larger or the smaller of two numbers of which either may be absent (NaN).
double most(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b); }
double least(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b); }

/// What the rows of one tensor of one system say together.
struct Together {
  AuditTally count;
  const AuditRow* worst = nullptr;  ///< with the fewest digits
  double kernel = NAN, libtorch = NAN, dual = NAN, second = NAN;
  std::int64_t mistrusted = 0;  ///< rows whose kernel is
  double seconds = 0;

  void add(const AuditRow& row) {
    if (has_digits(row) && !std::isnan(row.digits) &&
        (worst == nullptr || row.digits < worst->digits))
      worst = &row;
    seconds += row.seconds;
    for (const AuditWitness& witness : row.witnesses) {
      if (witness.name == "kernel") {
        kernel = most(kernel, witness.ratio);
        mistrusted += witness.verdict == "mistrusted";
      }
      if (witness.name == "LibTorch") libtorch = most(libtorch, witness.ratio);
      if (witness.name == "dual numbers") dual = least(dual, witness.digits);
      if (witness.name.starts_with("second order")) second = least(second, witness.digits);
    }
  }
};

void count(AuditTally& t, const AuditRow& row) {
  ++t.rows;
  t.entries += row.entries;
  t.certified += row.verdict == "certified";
  t.wrong += row.verdict == "wrong";
  t.inconclusive += row.verdict != "certified" && row.verdict != "wrong";
}

std::string ratio_or_none(double ratio) { return std::isnan(ratio) ? "-" : ratio_text(ratio); }

TextRow row_of(const std::string& kernel, const std::string& tensor, const Together& all) {
  const AuditRow* worst = all.worst;
  return {kernel,
          tensor,
          fmt::format("{}", all.count.rows),
          worst ? digits_text(worst->digits) : "-",
          worst ? index_text(worst->shape, worst->worst_index) : "-",
          worst ? fmt::format("2^{}, order {}", worst->log2_step, worst->order) : "-",
          ratio_or_none(all.kernel) +
              (all.mistrusted > 0 ? fmt::format(" ({} mistrusted)", all.mistrusted) : ""),
          ratio_or_none(all.libtorch),
          digits_text(all.dual),
          digits_text(all.second),
          fmt::format("{:.2f}", all.seconds),
          fmt::format("{}", all.count.certified),
          fmt::format("{}", all.count.wrong),
          fmt::format("{}", all.count.inconclusive)};
}

std::string every_row(const std::vector<AuditRecord>& records) {
  std::vector<TextRow> table{{"verdict", "case", "tensor", "digits", "median", "V-curve"}};
  for (const AuditRecord& record : records)
    table.push_back(
        {record.row.verdict, "`" + record.case_text + "`", record.row.tensor,
         digits_text(record.row.digits), digits_text(record.row.median_digits),
         record.row.sweep.empty() ? "none" : fmt::format("[curve]({})", svg_name(record))});
  return "\n## Rows\n\n" + markdown_table(table);
}

std::string not_certified(const std::vector<AuditRecord>& records) {
  std::string text;
  for (const AuditRecord& record : records)
    if (record.row.verdict != "certified")
      text += fmt::format("{}\n{}", record.case_text, audit_table({record.row}));
  return text.empty() ? "" : fmt::format("\n## Not certified\n\n```\n{}```\n", text);
}

}  // namespace

AuditTally tally(const std::vector<AuditRecord>& records) {
  AuditTally t;
  for (const AuditRecord& record : records) count(t, record.row);
  return t;
}

std::string result_line(const AuditTally& t, double seconds) {
  return fmt::format(
      "RESULT rows={} certified={} wrong={} inconclusive={} entries={} seconds={:.2f}", t.rows,
      t.certified, t.wrong, t.inconclusive, t.entries, seconds);
}

std::vector<TextRow> audit_summary(const std::vector<AuditRecord>& records) {
  std::vector<std::pair<std::string, std::string>> order;  // of appearance
  std::map<std::pair<std::string, std::string>, Together> tensors;
  for (const AuditRecord& record : records) {
    const std::pair name{record.kernel, record.row.tensor};
    if (!tensors.contains(name)) order.push_back(name);
    tensors[name].add(record.row);
    count(tensors[name].count, record.row);
  }
  std::vector<TextRow> table{{"SYSTEM", "TENSOR", "ROWS", "DIGITS", "WORST", "STEP", "KERNEL",
                              "LIBTORCH", "DUAL", "SECOND", "SECONDS", "CERTIFIED", "WRONG",
                              "INCONCLUSIVE"}};
  for (const auto& name : order) table.push_back(row_of(name.first, name.second, tensors.at(name)));
  return table;
}

std::string audit_markdown(const std::vector<AuditRecord>& records) {
  const AuditTally t = tally(records);
  double seconds = 0;
  for (const AuditRecord& record : records) seconds += record.row.seconds;
  return fmt::format(
             "# gradproof audit\n\n"
             "{} rows: {} certified, {} wrong, {} inconclusive; {} entries, {:.2f} s of processor "
             "time.\nDigits are the fewest of a tensor's rows; kernel and LibTorch are their "
             "largest error over its bound.\n\n",
             t.rows, t.certified, t.wrong, t.inconclusive, t.entries, seconds) +
         markdown_table(audit_summary(records)) + not_certified(records) + every_row(records);
}

}  // namespace gradproof
