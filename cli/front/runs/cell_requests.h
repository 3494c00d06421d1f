// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "cli/front/options.h"
#include "cli/process/session.h"
#include "reports/runs/plan.h"

namespace gradproof {

/// The request of a verb in cells as plans and records keep it: what is found depends on all of it,
/// and on nothing else. How it is shown is left out, and so are paths of this machine.
std::string kept_request(const Request& request);

/// The same with what is this machine's and this call's: the suite, `--json`, `--keep`.
std::string request_here(const std::string& kept, const Options& options);

/// Which verb it is of.
RunKind kind_of_request(const Request& request);

/// All its cells, as the worker cuts it. Throws UsageError, InstrumentError and Interrupted.
RunPlan plan_of_cells(Session& session, const Options& options, const Request& request);

/// --plan's plan. Throws UsageError where it is for another verb, or another calibration, than the
/// one that was asked for.
RunPlan plan_for(const Options& options, const Request& request);

}  // namespace gradproof
