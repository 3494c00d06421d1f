// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/audit_graph.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/graph/graph_case.h"
#include "core/parallel.h"
#include "core/tensor/digest.h"
#include "judge/agreement.h"
#include "judge/explain_witnesses.h"
#include "judge/graph/chains/measured_chains.h"
#include "judge/graph/given_tensors.h"
#include "judge/records.h"
#include "oracles/graph/audit/audit_graph.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/libtorch/autograd.h"

namespace gradproof {
namespace {

/// Gradients that somebody computed, within the bound of the contract of who did.
class GraphWitness {
 public:
  GraphWitness(GraphRun run, Witness name, JudgedRun judged)
      : run_(std::move(run)), name_(name), judged_(std::move(judged)) {}

  AuditWitness on(const std::string& gradient) const {
    AuditWitness witness;
    witness.name = name_;
    const auto computed = run_.got.find(gradient);
    if (computed == run_.got.end()) {
      witness.text = "has no " + gradient;
      return witness;
    }
    const Tensor& got = computed->second;
    const JudgedTensor& judged = judged_.find(gradient)->second;
    const Discrepancy& found = judged.judged.discrepancy;
    GraphClaim claim = run_.claim;
    claim.contract = judged.contract;
    const Truths truths = truths_of_graph(claim, run_.inputs, gradient, got).truths;
    witness.ratio = found.max_ratio;
    witness.wrong = found.bad;
    witness.verdict = found.bad > 0 ? WitnessVerdict::wrong : WitnessVerdict::agrees;
    if (found.bad > 0) {
      witness.text = text_of(found, got);
      witness.entries = {found.worst.index};
    }
    add_other_bits(gradient, got, witness);
    witness.digits =
        digits_of_agreement(got, {truths.hi, truths.lo, truths.radius, truths.bound, ""});
    return witness;
  }

 private:
  /// A kernel that promises the same bits again.
  void add_other_bits(const std::string& gradient, const Tensor& got, AuditWitness& witness) const {
    const auto again = run_.again.find(gradient);
    if (again == run_.again.end() || again->second == digest(got)) return;
    witness.verdict = WitnessVerdict::wrong;
    witness.text += (witness.text.empty() ? "" : "; ") + schedule_text(digest(got), again->second);
  }

  std::string text_of(const Discrepancy& found, const Tensor& got) const {
    return name_ == Witness::libtorch ? disagreement(found, got) : found.pattern;
  }

  GraphRun run_;
  Witness name_;
  JudgedRun judged_;
};

/// The witnesses beside the differences: the kernel, or the program that computed the tensors that
/// the Case is given; and LibTorch.
class GraphWitnesses {
 public:
  GraphWitnesses(const Systems& systems, const Case& c, const GraphRun& run, bool kernel) {
    if (has_given_tensors(c))
      add_kernel(c, run);
    else if (kernel && !is_graph_in_braces(c))
      add_kernel(c, run_graph(systems, c));
    if (has_libtorch()) add_libtorch(in_libtorch_float64(run));
  }

  void add_to(Record& record) const {
    if (!broken_.text.empty()) add_witness(record, broken_);
    for (const GraphWitness& witness : all_) add_witness(record, witness.on(record.tensor));
  }

 private:
  void add_kernel(const Case& c, GraphRun run) {
    broken_.text = simt::text_of(run.findings);
    broken_.verdict = WitnessVerdict::wrong;
    if (!run.findings.empty()) return;
    JudgedRun judged = judged_as_measured(c, run);
    all_.emplace_back(std::move(run), Witness::kernel, std::move(judged));
  }
  void add_libtorch(GraphRun run) {
    JudgedRun judged;
    for (auto& [name, found] : judge_graph(run.claim, run.inputs, run.got))
      judged.emplace(name, JudgedTensor{std::move(found), run.claim.contract});
    all_.emplace_back(std::move(run), Witness::libtorch, std::move(judged));
  }

  AuditWitness broken_;  ///< a kernel whose run had findings
  std::vector<GraphWitness> all_;
};

}  // namespace

void audit_graph_case(const Systems& systems, const Case& c, const AuditPlan& plan) {
  plan.progress(AuditPhase::differences);
  const GraphRun run = inputs_of_graph(c);
  std::vector<AuditRow> rows = audit_graph(run.claim, run.inputs, plan.options);
  if (rows.empty()) return plan.record(without_gradients(c, blank_record(c)));
  plan.progress(AuditPhase::witnesses);
  const GraphWitnesses others(systems, c, run, plan.kernel);
  for (AuditRow& row : rows) {
    const std::vector<AuditWitness> witnesses = std::exchange(row.witnesses, {});
    Record record = audit_record(blank_record(c), std::move(row));
    others.add_to(record);
    for (const AuditWitness& witness : witnesses) add_witness(record, witness);
    plan.record(record);
  }
}

}  // namespace gradproof
