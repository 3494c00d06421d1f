// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/libtorch/move_operators.h"

namespace gradproof {

/// LibTorch's scan or sort along an axis. A recurrence goes step by step, from the step's initial
/// numbers or from 0.
at::Tensor scanned(const Graph& graph, const GraphStep& step, const TensorsByName& values);

}  // namespace gradproof
