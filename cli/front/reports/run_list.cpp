// SPDX-License-Identifier: Apache-2.0
#include "cli/front/reports/run_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "reports/formats/report.h"
#include "reports/runs/run_folder.h"
#include "reports/text/text_table.h"

namespace gradproof {
namespace {

/// `complete, exit code 0, 22.9 s`.
std::string ending(const StoredRun& run) {
  if (!run.end) return "killed";
  const std::string reason = run.end->reason.empty() ? "" : ": " + run.end->reason;
  return fmt::format("{}{}, exit code {}, {:.1f} s", run.end->how, reason, run.end->code,
                     run.end->seconds);
}

}  // namespace

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

std::string no_check_in(const Options& options) {
  return options.run.empty()
             ? fmt::format("no run of check in '{}'", options.directory)
             : fmt::format("run {} in '{}' is none of check", options.run, options.directory);
}

}  // namespace gradproof
