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

/// The main function's last call, with what serve() gave: a worker that served a front ends here,
/// behind its last answer, without an orderly end of its libraries, for which the front would wait
/// (LibTorch takes 0.15 s to take back what it registered). A program with a sanitizer, which
/// reports at the orderly end, and one that judged Cases by hand, perhaps under a profiler, get
/// their code back. Whoever has functions of his own for the end does not call it.
int ended(int code, int count);

}  // namespace gradproof
