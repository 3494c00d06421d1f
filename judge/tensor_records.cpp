// SPDX-License-Identifier: Apache-2.0
#include "judge/tensor_records.h"

#include <fmt/format.h>

#include "core/error.h"
#include "judge/graph/known_truth.h"
#include "judge/records.h"
#include "judge/trust.h"
#include "oracles/explain/explain.h"

namespace gradproof {
namespace {

/// Gradients are judged from the saved statistics, so these are judged whenever gradients are.
bool is_judged(const Claim& claim, const TensorSpec& spec) {
  if (spec.role == Role::gradient) return claim.backward;
  if (spec.role != Role::output && spec.role != Role::buffer) return false;
  return claim.forward || spec.name == "mean" || spec.name == "rstd";
}

Verdict verdict_of(const CaseRun& run, const std::string& name, const Judged& judged,
                   const CrossCheck& libtorch) {
  if (const auto found = libtorch.texts.find(name); found != libtorch.texts.end())
    return {Outcome::instrument_broken, found->second};
  return kernel_verdict(run, name, judged.discrepancy);
}

/// ", largest: exp (61%)" of the worst element's bound; empty where there is none to divide.
std::string largest_text(const CaseRun& run, const std::string& name, const Discrepancy& d) {
  if (d.elements == 0) return "";
  const std::string term = largest_term(
      run.claim, run.inputs, given_statistics(run.claim, run.judged.tensors), name, d.worst.index);
  return term.empty() ? "" : ", largest: " + term;
}

Record tensor_record(const CaseRun& run, const TensorSpec& spec, const Judged& judged,
                     const CrossCheck& libtorch, const Record& blank, Detail detail) {
  Record record = blank;
  record.tensor = spec.name;
  record.witness = witness_text(judged.escalated, libtorch.asked);
  record.shape = spec.layout.shape;
  record.figures = judged.discrepancy;
  record.escalated = judged.escalated;
  record.certified = judged.discrepancy.elements - record.escalated;
  record.known = known_truth(run.claim, spec.name, judged.discrepancy);
  record.verdict = verdict_of(run, spec.name, judged, libtorch);
  record.why = judged.why;
  if (detail == Detail::of_all || is_wrong(record.verdict.outcome))
    record.why += largest_text(run, spec.name, judged.discrepancy);
  record.digest = run.judged.digests.at(spec.name);
  return record;
}

}  // namespace

Comparisons compare_run(const CaseRun& run) {
  Claim whole = run.claim;
  whole.forward = true;  // the saved statistics are judged whatever `op` says
  const Tensors& got = run.judged.tensors;
  return compare_with_truth(whole, run.inputs, given_statistics(run.claim, got), got);
}

std::string witness_text(std::int64_t escalated, const std::string& second) {
  const std::string text = second.empty() ? kOracle : fmt::format("{}, {}", kOracle, second);
  if (escalated == 0) return text;
  return text + fmt::format("; {} element{} at 50 digits or by class", escalated,
                            escalated == 1 ? "" : "s");
}

Verdict kernel_verdict(const CaseRun& run, const std::string& tensor, const Discrepancy& found) {
  const auto known = known_truth(run.claim, tensor, found);
  Verdict verdict = with_known_truth(judge(found), found, known);
  if (verdict.outcome == Outcome::passed && may_be_doubted(known))
    if (std::string lack = reason_to_mistrust(run.claim, run.inputs, tensor); !lack.empty())
      verdict = {Outcome::mistrusted, std::move(lack)};
  const std::string& once = run.judged.digests.at(tensor);
  const std::string& again = run.rerun.digests.at(tensor);
  return run.claim.contract.deterministic ? same_bits_or(verdict, once, again) : verdict;
}

Verdict same_bits_or(const Verdict& verdict, const std::string& once, const std::string& again) {
  const bool held = verdict.outcome == Outcome::passed || verdict.outcome == Outcome::mistrusted;
  if (!held || once == again) return verdict;
  return {Outcome::nondeterministic,
          fmt::format("bits {}, under another schedule and in other memory {}", once, again)};
}

std::vector<Record> tensor_records(const CaseRun& run, const Comparisons& compared,
                                   const CrossCheck& libtorch, const Record& blank, Detail detail) {
  std::vector<Record> records;
  for (const Role role : {Role::output, Role::buffer, Role::gradient}) {
    for (const TensorSpec& spec : run.claim.tensors) {
      if (spec.role != role || !is_judged(run.claim, spec)) continue;
      const auto judged = compared.find(spec.name);
      if (judged == compared.end()) throw InstrumentError("the oracle is silent on " + spec.name);
      records.push_back(tensor_record(run, spec, judged->second, libtorch, blank, detail));
    }
  }
  return records;
}

}  // namespace gradproof
