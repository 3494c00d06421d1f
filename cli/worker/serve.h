// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "cli/worker/verbs.h"
#include "judge/systems.h"

namespace gradproof {

/// The main function of a worker: answers a front's requests about these systems until the front
/// has gone; with Cases as its arguments it judges these in this process, for a debugger.
/// It knows check, audit and explain, and the verbs in `more`. The result is the exit code.
int serve(const Systems& systems, int count, char** arguments,
          const std::vector<WorkerVerb>& more = {});

}  // namespace gradproof
