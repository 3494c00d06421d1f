// SPDX-License-Identifier: Apache-2.0
#include "cli/front/runs/resume.h"

#include <fmt/format.h>

#include "core/error.h"
#include "reports/runs/run_folder.h"

namespace gradproof {
namespace {

bool same_shards(const RunHeader& run, const RunHeader& identity) {
  return run.shards == identity.shards || (identity.shards.empty() && !run.merges.empty());
}

}  // namespace

std::optional<StoredRun> run_to_resume(const std::string& folder, const RunHeader& identity) {
  std::vector<std::string> ids = run_ids(folder);
  std::string refusal;
  bool other_shards = false;
  for (; !ids.empty(); ids.pop_back()) {
    const auto header = read_run_header(run_path(folder, ids.back()));
    if (!header || header->kind != identity.kind) continue;
    const std::string differs = difference(*header, identity);
    if (differs.empty() && same_shards(*header, identity))
      return read_stored_run(folder, ids.back());
    other_shards = other_shards || differs.empty();
    if (refusal.empty() && !differs.empty())
      refusal = fmt::format("--resume: run {} in '{}' is another: {}", ids.back(), folder, differs);
  }
  if (refusal.empty() || other_shards) return std::nullopt;
  throw UsageError(refusal);
}

}  // namespace gradproof
