// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/pipeline_target.h"

namespace gradproof {

/// The losses of a claim's units: packed, or at 50 digits. The subject must outlive them.
std::unique_ptr<PerturbedLoss> pipeline_loss(const PipelineTarget& target,
                                             AuditArithmetic arithmetic);

}  // namespace gradproof
