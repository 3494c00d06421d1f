// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/verbs.h"
#include "cli/protocol/standard_streams.h"
#include "core/error.h"
#include "reports/audit_page.h"
#include "reports/markdown.h"
#include "reports/runs/run_folder.h"
#include "reports/runs/store.h"

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

/// The run that was asked for, or the last of its kind.
std::optional<StoredRun> chosen_run(const Options& options, Measured kind) {
  if (options.run.empty()) return last_run(options.directory, kind);
  StoredRun run = read_stored_run(options.directory, options.run);
  return run.header.kind == kind ? std::optional(std::move(run)) : std::nullopt;
}

StoredRun checked_run(const Options& options) {
  if (auto run = chosen_run(options, Measured::comparison)) return *std::move(run);
  throw UsageError(options.run.empty() ? fmt::format("no run of check in '{}'", options.directory)
                                       : fmt::format("run {} in '{}' is none of check", options.run,
                                                     options.directory));
}

/// Whatever it shows is no fault of the report, but what is not there it cannot show.
int render(const Options& options, bool marked) {
  std::string text;
  Findings found;
  for (const Measured kind : {Measured::comparison, Measured::differences}) {
    const auto run = chosen_run(options, kind);
    if (!run) continue;
    const StoredRecords stored = records_of(*run);
    text += (text.empty() ? "" : "\n") + rendered(stored, kind, marked);
    found.incomplete = found.incomplete || !stored.incomplete.empty();
  }
  if (text.empty()) throw UsageError(fmt::format("no run in '{}'", options.directory));
  fmt::print("{}", text);
  return exit_code(found);
}

/// `complete, exit code 0, 22.9 s`.
std::string ending(const StoredRun& run) {
  if (!run.end) return "killed";
  const std::string reason = run.end->reason.empty() ? "" : ": " + run.end->reason;
  return fmt::format("{}{}, exit code {}, {:.1f} s", run.end->how, reason, run.end->code,
                     run.end->seconds);
}

/// As it was typed, but for the program's folder.
std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool first = text.empty();
    const std::string shown = first ? std::filesystem::path(word).filename().string() : word;
    const bool quoted = shown.find_first_of(" \t\n'\"$*") != std::string::npos;
    text += (first ? "" : " ") + (quoted ? "'" + shown + "'" : shown);
  }
  return text;
}

int list_runs(const std::string& directory) {
  std::vector<TextRow> table{{"RUN", "KIND", "CASES", "SHARD", "ENDED", "COMMAND"}};
  for (const std::string& id : run_ids(directory)) {
    if (!read_run_header(run_path(directory, id))) {
      table.push_back({id, "", "", "", "killed before its first line", ""});
      continue;
    }
    const StoredRun run = read_stored_run(directory, id);
    const RunHeader& h = run.header;
    std::vector<std::string> shards;
    for (const Shard& shard : h.shards) shards.push_back(shard_text(shard));
    table.push_back({id, std::string(kind_name(h.kind)),
                     fmt::format("{} of {}", run.judged.size(), h.cases.size()),
                     fmt::format("{}", fmt::join(shards, " ")), ending(run),
                     command_text(h.command)});
  }
  if (table.size() == 1) throw UsageError(fmt::format("no run in '{}'", directory));
  for (const std::string& line : aligned(table)) fmt::print("{}\n", line);
  return 0;
}

}  // namespace

int run_report(const Options& options) {
  if (options.runs) return list_runs(options.directory);
  const bool marked = options.format == "markdown";
  if (options.against.empty()) return render(options, marked);
  const StoredRecords stored = records_of(checked_run(options));
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
  const StoredRun run = checked_run(options);
  const StoredRecords stored = records_of(run);
  if (!stored.incomplete.empty()) {
    complain(
        fmt::format("gradproof: run {} in '{}' is incomplete, a baseline is made of whole ones: {}",
                    run.header.id, options.directory, stored.incomplete));
    Findings found;
    found.incomplete = true;
    return exit_code(found);
  }
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
