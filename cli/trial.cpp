// SPDX-License-Identifier: Apache-2.0
#include "cli/told_verbs.h"
#include "core/error.h"

namespace gradproof {

int trial(const Request&, WorkerChannel&) { throw UsageError("trial is not there yet"); }

}  // namespace gradproof
