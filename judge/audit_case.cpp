// SPDX-License-Identifier: Apache-2.0
#include "judge/audit_case.h"

#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/case/law_key.h"
#include "core/compare/record.h"
#include "core/error.h"
#include "core/parallel.h"
#include "judge/audit_witnesses.h"
#include "judge/run_case.h"
#include "oracles/derivatives/derivative_witnesses.h"

namespace gradproof {
namespace {

AuditRow row_without_gradients(const Case& c) {
  AuditRow row;
  row.tensor = kExecution;
  row.shape = {0};
  row.verdict = "inconclusive";
  row.reason =
      c.is("op", "forward") ? "op=forward asks for no gradients" : "there are no gradients";
  return row;
}

/// All that is asked about a Case's gradients beside the differences.
class Witnesses {
 public:
  Witnesses(const Case& c, const CaseRun& run, bool kernel)
      : derivatives_(derivative_witnesses(run.claim, run.inputs)),
        libtorch_(run.claim, run.inputs, seed_of(c)) {
    if (kernel) kernel_.emplace(run);
  }

  void add_to(AuditRow& row) const {
    if (kernel_) row.witnesses.push_back(kernel_->on(row.tensor));
    row.witnesses.push_back(libtorch_.on(row.tensor));
    const std::vector<AuditWitness>& derivatives = derivatives_.at(row.tensor);
    row.witnesses.insert(row.witnesses.end(), derivatives.begin(), derivatives.end());
    settle(row);
  }

 private:
  std::map<std::string, std::vector<AuditWitness>> derivatives_;
  LibTorchWitness libtorch_;
  std::optional<KernelWitness> kernel_;
};

}  // namespace

void audit_case(const Systems& systems, const Case& c, const AuditPlan& plan) {
  refuse_law(c, "gradients");
  const ThreadLimit limit(plan.threads > 0 ? plan.threads : thread_limit());
  plan.progress(AuditPhase::kernel);
  const CaseRun run = plan.kernel ? run_case(systems, c) : inputs_of_case(systems, c);
  plan.progress(AuditPhase::differences);
  std::vector<AuditRow> rows;
  if (run.claim.backward) rows = audit(run.claim, run.inputs, plan.options);
  if (rows.empty()) return plan.row(row_without_gradients(c));
  plan.progress(AuditPhase::witnesses);
  const Witnesses witnesses(c, run, plan.kernel);
  for (AuditRow& row : rows) {
    witnesses.add_to(row);
    row.tensor = systems.tensor_name(c, row.tensor);
    plan.row(row);
  }
}

std::vector<AuditRow> audited_without_kernel(const Systems& systems, const Case& c) {
  std::vector<AuditRow> rows;
  AuditPlan plan;
  plan.kernel = false;
  plan.threads = 1;
  plan.row = [&](const AuditRow& row) { rows.push_back(row); };
  audit_case(systems, c, plan);
  return rows;
}

}  // namespace gradproof
