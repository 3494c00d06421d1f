// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/channel.h"

namespace gradproof {

/// Answers one request of the front: check, audit or bench. Throws UsageError, InstrumentError and
/// simt::NoDevice; the worker's loop turns them into the protocol's failures.
void answer(const Request& request, WorkerChannel& channel);

/// What `doctor` shows of this machine as the worker sees it.
std::vector<Fact> facts();

}  // namespace gradproof
