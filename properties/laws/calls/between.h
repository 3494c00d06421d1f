// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "properties/laws/trial.h"

namespace gradproof {

/// A run of the Case whose two passes stand around both passes of another instance: forward, the
/// other's forward and backward on other numbers, backward. Each has memory and a stream of its
/// own.
KernelRun run_between(const Trial& t, const Tensors& others);

}  // namespace gradproof
