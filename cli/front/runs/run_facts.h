// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/front/cases.h"
#include "cli/front/options.h"
#include "cli/process/session.h"
#include "reports/runs/plan.h"
#include "reports/runs/run_header.h"

namespace gradproof {

/// The identity of a run, wherever it runs: verb, Cases, plan, options, worker and context. Starts
/// the worker if none runs; throws as Session::hello() does.
RunHeader identity_of_run(const Options& options, Session& session, const Planned& planned,
                          Measured kind);

/// The identity of a run over cells of a plan; `cells` are those of this run.
RunHeader identity_of_cells(Session& session, const RunPlan& plan, const Scope& scope,
                            const std::vector<std::string>& cells);

/// The content id of a file, from its bytes; for a program it tells what was built, because a
/// version number stays the same from one edit of a kernel to the next. Empty if it cannot be read.
std::string content_of_file(const std::string& path);

/// Adds the place of the run: command line, host, operating system and checkout. The checkout is
/// that of the current folder as git says it; if git says nothing, the commit is what GITHUB_SHA,
/// CI_COMMIT_SHA or GIT_COMMIT says.
void add_surroundings(RunHeader& header, const Options& options);

}  // namespace gradproof
