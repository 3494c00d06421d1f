// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/case/case.h"
#include "core/compare/audit_row.h"
#include "oracles/differences/options.h"

namespace gradproof {

/// What one audit is asked for.
struct AuditPlan {
  AuditOptions options;
  std::string column;  ///< "x[3,7]": one column of the Jacobian instead; empty: the gradients
  bool kernel = true;  ///< whether the kernel runs
  bool json = false;   ///< of the column
  int threads = 0;     ///< that it may take; 0: all cores
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  std::function<void(const AuditRow&)> row = [](const AuditRow&) {};
};

/// Reads entries=N, digits=D, direct=yes, column=TENSOR[INDEX], kernel=no, json=yes and threads=K.
/// Throws UsageError.
AuditPlan audit_plan(const std::vector<std::string>& arguments);

/// Audits every gradient of the Case: the oracle's adjoint against differences of the oracle's
/// value, the kernel, LibTorch, dual numbers and second order against the adjoint. `plan.row` takes
/// each row when it is finished. A model pair's kernel is audited on what its Linear gave; its
/// tensors have the model's names. A Case that asks for no gradients has one row, which says so.
/// Throws UsageError for a Case that is about a law, and as run_case does.
void audit_case(const Case& c, const AuditPlan& plan);

/// All rows of that, on one thread and without the kernel.
std::vector<AuditRow> audited_without_kernel(const Case& c);

}  // namespace gradproof
