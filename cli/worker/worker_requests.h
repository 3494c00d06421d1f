// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/protocol/channel.h"

namespace gradproof {

/// Answers one request of the front; the exit code of a verb that prints its own text, else 0.
/// Throws UsageError, InstrumentError and simt::NoDevice; the worker's loop turns them into the
/// protocol's failures.
int answer(const Request& request, WorkerChannel& channel);

/// What `doctor` shows of this machine as the worker sees it.
std::vector<Fact> facts();

}  // namespace gradproof
