// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "cli/front/verbs.h"
#include "core/error.h"
#include "reports/markdown.h"
#include "reports/record/audit_store.h"
#include "reports/record/audit_summary.h"
#include "reports/record/tally.h"
#include "reports/text/audit_text.h"

namespace gradproof {
namespace {

std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm date{};
  gmtime_r(&now, &date);
  return fmt::format("{:04}-{:02}-{:02}", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
}

/// One line: it becomes one in the file.
std::string checked_reason(const std::string& reason) {
  if (reason.find_first_not_of(" \t") == std::string::npos ||
      reason.find('\n') != std::string::npos)
    throw UsageError("--reason takes one line that says why these figures are accepted");
  return reason;
}

void print_counts(const BaselineComparison& c, const std::string& file) {
  fmt::print("{}: {} tensors; {} new, {} improved, {} regressed, {} unchanged, {} gone\n", file,
             c.tensors.size() - static_cast<std::size_t>(c.count(Change::missing)),
             c.count(Change::added), c.count(Change::improved), c.count(Change::regressed),
             c.count(Change::unchanged), c.count(Change::missing));
}

std::string audit_text(const StoredAudit& stored, bool marked) {
  if (marked) return audit_page(stored);
  std::string text;
  double seconds = 0;
  for (const std::string& line : aligned(audit_summary(stored.records))) text += line + "\n";
  for (const AuditRecord& record : stored.records) {
    seconds += record.row.seconds;
    if (record.row.verdict != "certified")
      text += record.case_text + "\n" + audit_table({record.row});
  }
  if (!stored.note.empty()) text += "note: " + stored.note + "\n";
  if (!stored.incomplete.empty()) text += "incomplete: " + stored.incomplete + "\n";
  return text + result_line(tally(stored.records), seconds) + "\n";
}

/// All that the directory holds. Whatever it shows is no fault of the report, but what is not there
/// it cannot show.
int render(const std::string& directory, bool marked) {
  Findings found;
  const bool audited = has_audit(directory);
  const bool checked = has_records(directory) || !audited;
  if (checked) {
    const StoredRecords stored = read_records(directory);
    fmt::print("{}", marked ? markdown(stored) : plain_text(stored));
    found.incomplete = !stored.incomplete.empty();
  }
  if (audited) {
    const StoredAudit stored = read_audits(directory);
    fmt::print("{}{}", checked ? "\n" : "", audit_text(stored, marked));
    found.incomplete = found.incomplete || !stored.incomplete.empty();
  }
  return exit_code(found);
}

}  // namespace

int run_report(const Options& options) {
  const bool marked = options.format == "markdown";
  if (options.against.empty()) return render(options.directory, marked);
  const StoredRecords stored = read_records(options.directory);
  // Read before anything is printed: a damaged file is an error and nothing else.
  const Baseline baseline = read_baseline(options.against);
  const BaselineComparison comparison = compare(stored.records, baseline, options.against);
  fmt::print("{}{}", marked ? markdown(stored) : plain_text(stored),
             marked ? markdown(comparison) : plain_text(comparison));
  Findings found = findings_of(tally(stored));
  found.regressed = comparison.count(Change::regressed) > 0;
  // A comparison that was asked for and did not happen is no green light, and neither is a tensor
  // that is no longer measured.
  found.incomplete = found.incomplete || !comparison.not_comparable.empty() ||
                     comparison.count(Change::missing) > 0;
  return exit_code(found);
}

int run_baseline_update(const Options& options) {
  const Reason reason{today(), checked_reason(options.reason)};
  const StoredRecords stored = read_records(options.directory);
  if (!stored.incomplete.empty())
    throw UsageError(
        fmt::format("the run in '{}' is incomplete, a baseline is made of whole ones: {}",
                    options.directory, stored.incomplete));
  std::optional<Baseline> before;
  if (std::filesystem::exists(options.baseline)) before = read_baseline(options.baseline);
  const Baseline now = make_baseline(stored.records, before ? &*before : nullptr, reason);
  const Baseline empty{now.context, {}, {}};
  print_counts(compare(stored.records, before ? *before : empty, options.baseline),
               options.baseline);
  write_baseline(now, options.baseline);
  return 0;
}

}  // namespace gradproof
