// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "cli/front/reports/run_list.h"
#include "cli/front/verbs.h"
#include "cli/protocol/standard_streams.h"
#include "core/error.h"
#include "reports/baseline/acceptance.h"
#include "reports/baseline/comparison.h"
#include "reports/runs/run_folder.h"
#include "reports/runs/store.h"

namespace gradproof {
namespace {

constexpr int kUsageError = 2;

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

StoredRun run_of_check(const Options& options) {
  if (options.run.empty()) {
    if (auto run = last_run(options.directory, Measured::comparison)) return *std::move(run);
  } else if (StoredRun run = read_stored_run(options.directory, options.run);
             run.header.kind == Measured::comparison) {
    return run;
  }
  throw UsageError(no_check_in(options));
}

/// Records of the folder's other whole runs that are the same as this one.
std::vector<std::vector<Record>> repetitions_of(const Options& options, const RunHeader& run) {
  std::vector<std::vector<Record>> repetitions;
  for (const std::string& id : run_ids(options.directory)) {
    const auto header = read_run_header(run_path(options.directory, id));
    if (!header || id == run.id || id == run.resumes || !difference(*header, run).empty()) continue;
    StoredRecords stored = records_of(read_stored_run(options.directory, id));
    if (stored.incomplete.empty()) repetitions.push_back(std::move(stored.records));
  }
  if (repetitions.empty())
    throw UsageError(fmt::format(
        "--repeated: '{}' has no other whole run of the same build and plan", options.directory));
  return repetitions;
}

void print_counts(const BaselineComparison& c, const std::string& file) {
  fmt::print("{}: {} tensors; {} new, {} improved, {} regressed, {} unchanged, {} gone\n", file,
             c.tensors.size() - static_cast<std::size_t>(c.count(Change::missing)),
             c.count(Change::added), c.count(Change::improved), c.count(Change::regressed),
             c.count(Change::unchanged), c.count(Change::missing));
  if (c.alike.tensors > 0 && !c.alike.compared)
    fmt::print("{}: {} tensors take the place of those of the same Cases but for {}\n", file,
               c.alike.tensors, c.alike.key);
}

void print_noise(const Baseline& baseline, std::size_t runs, const std::string& file) {
  std::int64_t noisy = 0;
  for (const BaselineEntry& e : baseline.entries) noisy += e.noise.runs > 0;
  fmt::print("{}: {} tensors have other bits from run to run, of {} runs\n", file, noisy, runs);
}

/// Writes it and then says so: what cannot be written is not said to be there.
void update(const Options& options, const std::vector<Record>& records,
            const Acceptance& acceptance) {
  std::optional<Baseline> before;
  if (std::filesystem::exists(options.baseline)) before = read_baseline(options.baseline);
  const Baseline now = make_baseline(records, before ? &*before : nullptr, acceptance);
  write_baseline(now, options.baseline);
  const Baseline empty{now.context, {}, {}, {}};
  print_counts(compare(records, before ? *before : empty, options.baseline), options.baseline);
  if (options.repeated) print_noise(now, acceptance.repetitions.size() + 1, options.baseline);
}

}  // namespace

int run_baseline_update(const Options& options) {
  Acceptance acceptance;
  acceptance.reason = {today(), checked_reason(options.reason)};
  const StoredRun run = run_of_check(options);
  const StoredRecords stored = records_of(run);
  if (!stored.incomplete.empty()) {
    complain(
        fmt::format("gradproof: run {} in '{}' is incomplete, a baseline is made of whole ones: {}",
                    run.header.id, options.directory, stored.incomplete));
    Findings found;
    found.incomplete = true;
    return exit_code(found);
  }
  if (options.repeated) acceptance.repetitions = repetitions_of(options, run.header);
  acceptance.ledger =
      read_ledger(options.ledger.empty() ? options.baseline + ".ledger" : options.ledger);
  try {
    update(options, stored.records, acceptance);
  } catch (const OverCeiling& error) {
    complain(fmt::format("gradproof: {}", error.what()));
    for (const std::string& line : error.lines) complain(line);
    return kUsageError;
  }
  return 0;
}

}  // namespace gradproof
