// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/front/options.h"
#include "cli/process/session.h"
#include "reports/runs/merge.h"

namespace gradproof {

/// exhaustive, calibrate or search, as `request` asks for it: at once by one request, or, with
/// --print-plan, --plan or --records, in cells that several machines share and that are kept
/// (docs/scale-out.md). The result is the exit code; of a shard it says only whether its cells are
/// done. Throws UsageError and InstrumentError.
int run_long_verb(const Options& options, Session& session, const Request& request);

/// The verb's own lines about all cells of a merged run, and its exit code. Throws InstrumentError
/// where the lab is not the one that ran the shards.
int show_sum(const Options& options, const MergedRun& merged);

}  // namespace gradproof
