// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/audit.h"
#include "oracles/differences.h"

namespace gradproof {

/// Audits gradients that somebody claims, tensor by tensor, against differences of the value.
std::vector<AuditRow> audit_gradients(const Claim& claim, const Tensors& inputs,
                                      const RealGradients& claimed);

}  // namespace gradproof
