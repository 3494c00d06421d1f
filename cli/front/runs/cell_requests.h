// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "cli/front/options.h"
#include "cli/process/session.h"
#include "reports/runs/plan.h"

namespace gradproof {

/// The request of a verb in cells as plans and records keep it: what is found depends on all of it,
/// and on nothing else. Options of the output and paths of this machine are left out.
std::string kept_request(const Request& request);

/// The kept request with this machine's and this call's parts: the suite, `--json`, `--keep`.
std::string request_here(const std::string& kept, const Options& options);

/// The verb of the request.
RunKind kind_of_request(const Request& request);

/// All its cells, as the worker cuts it. Throws UsageError, InstrumentError and Interrupted.
RunPlan plan_of_cells(Session& session, const Options& options, const Request& request);

/// The plan of --plan. Throws UsageError if it is for another verb, or another calibration, than
/// the one that was asked for.
RunPlan plan_for(const Options& options, const Request& request);

}  // namespace gradproof
