// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/audit_graph.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/parallel.h"
#include "judge/agreement.h"
#include "judge/graph/graph_run.h"
#include "judge/records.h"
#include "oracles/graph/audit/audit_graph.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {
namespace {

/// LibTorch's float64 gradients within the bound of their own contract.
class Float64Witness {
 public:
  explicit Float64Witness(const GraphRun& run) try
      : run_(in_libtorch_float64(run)), judged_(judge_graph(run_.claim, run_.inputs, run_.got)) {
  } catch (const NoOperator& error) {
    throw InstrumentError(error.what());  // LibTorch has all operators in float64
  }

  AuditWitness on(const std::string& gradient) const {
    const Tensor& got = get(run_.got, gradient);
    const Discrepancy& found = judged_.find(gradient)->second.discrepancy;
    const Truths truths = truths_of_graph(run_.claim, run_.inputs, gradient, got).truths;
    AuditWitness witness;
    witness.name = Witness::libtorch;
    witness.ratio = found.max_ratio;
    witness.wrong = found.bad;
    witness.verdict = found.bad > 0 ? WitnessVerdict::wrong : WitnessVerdict::agrees;
    if (found.bad > 0) witness.text = disagreement(found, got);
    witness.digits =
        digits_of_agreement(got, {truths.hi, truths.lo, truths.radius, truths.bound, ""});
    return witness;
  }

 private:
  GraphRun run_;
  std::map<std::string, Judged, std::less<>> judged_;
};

}  // namespace

void audit_graph_case(const Case& c, const AuditPlan& plan) {
  plan.progress(AuditPhase::differences);
  const GraphRun run = inputs_of_graph(c);
  std::vector<AuditRow> rows = audit_graph(run.claim, run.inputs, plan.options);
  plan.progress(AuditPhase::witnesses);
  const Float64Witness libtorch(run);
  for (AuditRow& row : rows) {
    const std::vector<AuditWitness> witnesses = std::exchange(row.witnesses, {});
    Record record = audit_record(blank_record(c), std::move(row));
    add_witness(record, libtorch.on(record.tensor));
    for (const AuditWitness& witness : witnesses) add_witness(record, witness);
    plan.record(record);
  }
}

}  // namespace gradproof
