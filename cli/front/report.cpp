// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "cli/front/verbs.h"
#include "core/error.h"
#include "reports/audit_page.h"
#include "reports/markdown.h"
#include "reports/record/store.h"

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

std::string rendered(const StoredRecords& stored, Measured measured, bool marked) {
  if (measured == Measured::comparison) return marked ? markdown(stored) : plain_text(stored);
  return marked ? audit_page(stored) : audit_lines(stored);
}

/// All that the directory holds. Whatever it shows is no fault of the report, but what is not there
/// it cannot show.
int render(const std::string& directory, bool marked) {
  const StoredRecords stored = read_records(directory);
  const StoredRecords checked = only(stored, Measured::comparison);
  const StoredRecords audited = only(stored, Measured::differences);
  std::string text;
  if (!checked.records.empty() || audited.records.empty())
    text = rendered(checked, Measured::comparison, marked);
  if (!audited.records.empty())
    text += (text.empty() ? "" : "\n") + rendered(audited, Measured::differences, marked);
  fmt::print("{}", text);
  Findings found;
  found.incomplete = !stored.incomplete.empty();
  return exit_code(found);
}

}  // namespace

int run_report(const Options& options) {
  const bool marked = options.format == "markdown";
  if (options.against.empty()) return render(options.directory, marked);
  const StoredRecords stored = only(read_records(options.directory), Measured::comparison);
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
  const StoredRecords stored = only(read_records(options.directory), Measured::comparison);
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
