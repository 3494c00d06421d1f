// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "core/case/case.h"
#include "kernels/kernel.h"

namespace gradproof {

/// One call of code that runs elsewhere, with the graph's tensors by name. A forward gives the
/// outputs; a backward, which gets a cotangent "dy" of each output y besides, gives the gradients.
/// Results that are missing are 0.
using CalledPass = std::function<Tensors(const Tensors& given, bool backward)>;

/// A graph in braces as a system under test, whose entry points hand tensors in the host's memory
/// to code that is called. The Case's key `op` says whether there is a backward, `deterministic`
/// whether calls give the same bits again. Throws UsageError for extents that the graph cannot
/// have.
Kernel called_kernel(const Case& c, const CalledPass& pass);

/// LibTorch's operators, which compute the Case's graph. Throws NoOperator as graph_in_libtorch()
/// does.
CalledPass libtorch_pass(const Case& c);

}  // namespace gradproof
