// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/front/cases.h"
#include "cli/front/options.h"
#include "cli/process/session.h"
#include "reports/runs/run_header.h"

namespace gradproof {

/// What a run is, wherever it runs: verb, Cases, plan, options, worker and context. Starts the
/// worker where none runs; throws as Session::hello() does.
RunHeader identity_of_run(const Options& options, Session& session, const Planned& planned,
                          Measured kind);

/// Adds where it runs: command line, host, operating system and checkout. The checkout is that of
/// the current folder as git says it; where git says nothing the commit is what GITHUB_SHA,
/// CI_COMMIT_SHA or GIT_COMMIT says.
void add_surroundings(RunHeader& header, const Options& options);

}  // namespace gradproof
