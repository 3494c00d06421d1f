// SPDX-License-Identifier: Apache-2.0
#include "judge/audit_case.h"

#include <optional>
#include <utility>

#include "core/case/law_key.h"
#include "core/error.h"
#include "core/graph/graph_case.h"
#include "core/parallel.h"
#include "judge/audit_witnesses.h"
#include "judge/graph/audit_graph.h"
#include "judge/records.h"
#include "judge/run_case.h"
#include "oracles/claim/graph_of_claim.h"
#include "oracles/graph/audit/audit_graph.h"

namespace gradproof {
namespace {

/// The witnesses beside the differences: the kernel and LibTorch.
class Witnesses {
 public:
  Witnesses(const Case& c, const CaseRun& run, const AuditPlan& plan)
      : libtorch_(run.claim, run.inputs, seed_of(c)) {
    if (plan.kernel) kernel_.emplace(run);
  }

  void add_to(Record& record) const {
    if (kernel_) add_witness(record, kernel_->on(record.tensor));
    add_witness(record, libtorch_.on(record.tensor));
  }

 private:
  LibTorchWitness libtorch_;
  std::optional<KernelWitness> kernel_;
};

}  // namespace

void audit_case(const Systems& systems, const Case& c, const AuditPlan& plan) {
  refuse_law(c, "gradients");
  const ThreadLimit limit(plan.threads > 0 ? plan.threads : thread_limit());
  if (is_graph_case(c)) return audit_graph_case(systems, c, plan);
  plan.progress(AuditPhase::kernel);
  const CaseRun run = plan.kernel ? run_case(systems, c) : inputs_of_case(systems, c);
  plan.progress(AuditPhase::differences);
  std::vector<AuditRow> rows;
  if (run.claim.backward)
    rows = audit_graph(audited_graph_of_claim(run.claim, run.inputs), run.inputs, plan.options);
  const Record blank = blank_record(c);
  if (rows.empty()) return plan.record(without_gradients(c, blank));
  plan.progress(AuditPhase::witnesses);
  const Witnesses others(c, run, plan);
  for (AuditRow& row : rows) {
    const std::vector<AuditWitness> derivatives = std::exchange(row.witnesses, {});
    Record record = audit_record(blank, std::move(row));
    others.add_to(record);
    for (const AuditWitness& witness : derivatives) add_witness(record, witness);
    record.tensor = systems.tensor_name(c, record.tensor);
    plan.record(record);
  }
}

std::vector<Record> audited_without_kernel(const Systems& systems, const Case& c) {
  std::vector<Record> records;
  AuditPlan plan;
  plan.kernel = false;
  plan.threads = 1;
  plan.record = [&](const Record& record) { records.push_back(record); };
  audit_case(systems, c, plan);
  return records;
}

}  // namespace gradproof
