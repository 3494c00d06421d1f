// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/pipeline_target.h"

namespace gradproof {

/// The losses of a claim's units: packed, or in 50 digits. The target must outlive the result.
std::unique_ptr<PerturbedLoss> pipeline_loss(const PipelineTarget& target,
                                             AuditArithmetic arithmetic);

}  // namespace gradproof
