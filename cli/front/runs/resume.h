// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "reports/runs/store.h"

namespace gradproof {

/// The last run in the folder that is the same as `identity`: verb, plan, shard, options, context
/// and worker. A merged run may lack shards, and is then the same as the whole plan's. Nothing
/// where the folder has no run of the verb, or only other shards. Throws UsageError, with what
/// differs, where all runs of the verb are others.
std::optional<StoredRun> run_to_resume(const std::string& folder, const RunHeader& identity);

}  // namespace gradproof
