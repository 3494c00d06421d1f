// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"
#include "judge/systems.h"
#include "oracles/differences/options.h"

namespace gradproof {

/// The request for one audit.
struct AuditPlan {
  AuditOptions options;
  bool kernel = true;  ///< whether the kernel runs
  int threads = 0;     ///< that it may take; 0: all cores
  std::function<void(AuditPhase)> progress = [](AuditPhase) {};
  std::function<void(const Record&)> record = [](const Record&) {};
};

/// Audits every gradient of the Case: the oracle's adjoint against differences of the oracle's
/// value, the kernel, LibTorch, dual numbers and second order against the adjoint. `plan.record`
/// takes each Record when it is finished. A model pair's kernel is audited on what its Linear gave;
/// its tensors have the model's names. A Case that asks for no gradients has one Record, which says
/// so. Throws UsageError for a Case that is about a law, and as run_case does.
void audit_case(const Systems& systems, const Case& c, const AuditPlan& plan);

/// All Records of audit_case(), made on one thread and without the kernel.
std::vector<Record> audited_without_kernel(const Systems& systems, const Case& c);

}  // namespace gradproof
