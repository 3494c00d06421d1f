// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gradproof {

/// The cores that this process may run on, at least 1: `taskset` or a container's set of cores may
/// leave it fewer than the machine has (sched_getaffinity(2)).
int cores();

}  // namespace gradproof
