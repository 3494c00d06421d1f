// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/front/cases.h"
#include "cli/front/options.h"
#include "cli/process/session.h"
#include "reports/runs/plan.h"
#include "reports/runs/run_header.h"

namespace gradproof {

/// What a run is, wherever it runs: verb, Cases, plan, options, worker and context. Starts the
/// worker where none runs; throws as Session::hello() does.
RunHeader identity_of_run(const Options& options, Session& session, const Planned& planned,
                          Measured kind);

/// The same of the cells of a plan; `cells`: those of this run.
RunHeader identity_of_cells(Session& session, const RunPlan& plan, const Scope& scope,
                            const std::vector<std::string>& cells);

/// What a file is, by its bytes; of a program what was built, because a version number stays the
/// same from one edit of a kernel to the next. Empty where they cannot be read.
std::string content_of_file(const std::string& path);

/// Adds where it runs: command line, host, operating system and checkout. The checkout is that of
/// the current folder as git says it; where git says nothing the commit is what GITHUB_SHA,
/// CI_COMMIT_SHA or GIT_COMMIT says.
void add_surroundings(RunHeader& header, const Options& options);

}  // namespace gradproof
