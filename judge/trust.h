// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/claim/claim.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// The reason why a pass of the tensor proves little, or an empty string: something that its
/// numbers depend on and that stands beside what runs through a step is the identity of its stage
/// (a kernel without the stage would pass), or is the same everywhere (a wrong index would pass).
/// docs/verdicts.md says which tensors depend on which parameters.
std::string reason_to_mistrust(const Claim& claim, const Tensors& inputs,
                               const std::string& tensor);

/// The reason for a graph's output or the gradient d_NAME of what the graph is given.
std::string reason_to_mistrust(const Graph& graph, const Tensors& inputs,
                               const std::string& tensor);

/// The reason where tensors are a user's own: cotangents, and operands that are alike. The numbers
/// of the line and the parameters are what that code runs with, ones and zeros too.
std::string reason_to_mistrust_given(const Graph& graph, const Tensors& inputs,
                                     const std::string& tensor);

}  // namespace gradproof
