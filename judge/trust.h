// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/claim/claim.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// Why a pass of the tensor proves little, or an empty string: a parameter that its numbers depend
/// on is the identity of its stage (a kernel without the stage would pass), or is the same for all
/// channels (a wrong index would pass). docs/verdicts.md says which tensors depend on which
/// parameters.
std::string reason_to_mistrust(const Claim& claim, const Tensors& inputs,
                               const std::string& tensor);

}  // namespace gradproof
