// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"
#include "judge/audit_case.h"

namespace gradproof {

/// audit_case() of a Case about a graph: the oracle's adjoint against differences of the oracle's
/// value, dual numbers, LibTorch's float64, and the kernel where the Case names one, on the inputs
/// that `check` judges it with.
void audit_graph_case(const Systems& systems, const Case& c, const AuditPlan& plan);

}  // namespace gradproof
