// SPDX-License-Identifier: Apache-2.0
#include "reports/audit/audit_summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "reports/audit/audit_text.h"
#include "reports/text/number_text.h"

namespace gradproof {
namespace {

/// The larger or the smaller of two numbers of which either may be absent (NaN).
double most(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b); }
double least(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b); }

/// The figures of all rows of one tensor of one system.
struct Together {
  Tally count;
  const Record* worst = nullptr;  ///< with the fewest digits
  double kernel = NAN, libtorch = NAN, dual = NAN, second = NAN;
  std::int64_t mistrusted = 0;  ///< rows whose kernel is
  double seconds = 0;

  void add(const Record& row) {
    const AuditFigures& figures = row.audit();
    count.add(row);
    seconds += row.seconds;
    if (has_digits(figures) && !std::isnan(figures.digits) &&
        (worst == nullptr || figures.digits < worst->audit().digits))
      worst = &row;
    for (const AuditWitness& witness : figures.witnesses) add(witness);
  }

  void add(const AuditWitness& witness) {
    switch (witness.name) {
      case Witness::kernel:
        kernel = most(kernel, witness.ratio);
        mistrusted += witness.verdict == WitnessVerdict::mistrusted;
        break;
      case Witness::libtorch:
        libtorch = most(libtorch, witness.ratio);
        break;
      case Witness::dual_numbers:
        dual = least(dual, witness.digits);
        break;
      case Witness::second_order:
      case Witness::second_order_dy:
        second = least(second, witness.digits);
        break;
      case Witness::numbers:
        break;
    }
  }
};

std::string ratio_or_none(double ratio) { return std::isnan(ratio) ? "-" : ratio_text(ratio); }

TextRow row_of(const std::string& kernel, const std::string& tensor, const Together& all) {
  const AuditFigures* worst = all.worst ? &all.worst->audit() : nullptr;
  return {kernel,
          tensor,
          fmt::format("{}", all.count.tensors),
          worst ? digits_text(worst->digits) : "-",
          worst ? index_text(all.worst->shape, worst->worst_index) : "-",
          worst ? fmt::format("2^{}, order {}", worst->log2_step, worst->order) : "-",
          ratio_or_none(all.kernel) +
              (all.mistrusted > 0 ? fmt::format(" ({} mistrusted)", all.mistrusted) : ""),
          ratio_or_none(all.libtorch),
          digits_text(all.dual),
          digits_text(all.second),
          fmt::format("{:.2f}", all.seconds),
          fmt::format("{}", all.count.passed),
          fmt::format("{}", all.count.failed),
          fmt::format("{}", all.count.open())};
}

}  // namespace

std::string not_certified(const std::vector<Record>& records, std::size_t width) {
  std::string text;
  for (const Record& row : records)
    if (row.verdict.outcome != Outcome::certified)
      text += filled({"", 4, width}, row.case_text) + audit_table({row}, width);
  return text;
}

std::vector<TextRow> audit_summary(const std::vector<Record>& records) {
  std::vector<std::pair<std::string, std::string>> order;  // of appearance
  std::map<std::pair<std::string, std::string>, Together> tensors;
  for (const Record& row : records) {
    const std::pair name{row.kernel, row.tensor};
    if (!tensors.contains(name)) order.push_back(name);
    tensors[name].add(row);
  }
  std::vector<TextRow> table{{"SYSTEM", "TENSOR", "ROWS", "DIGITS", "WORST", "STEP", "KERNEL",
                              "LIBTORCH", "DUAL", "SECOND", "SECONDS", "CERTIFIED", "WRONG",
                              "INCONCLUSIVE"}};
  for (const auto& name : order) table.push_back(row_of(name.first, name.second, tensors.at(name)));
  return table;
}

std::vector<std::string> summary_table(const std::vector<Record>& records, std::size_t width) {
  return fitted_without(audit_summary(records), width,
                        {"STEP", "SECONDS", "WORST", "SECOND", "DUAL"});
}

std::string audit_lines(const StoredRecords& stored, double seconds, std::size_t width) {
  std::string text;
  for (const std::string& line : summary_table(stored.records, width)) text += line + "\n";
  text += not_certified(stored.records, width);
  std::string ends = stored.note.empty() ? "" : "note: " + stored.note + "\n";
  if (!stored.incomplete.empty()) ends += "incomplete: " + stored.incomplete + "\n";
  return text + filled_lines(ends, width) +
         result_line(tally(stored), seconds, Measured::differences) + "\n";
}

}  // namespace gradproof
