// SPDX-License-Identifier: Apache-2.0
#include "judge/tensor_records.h"

#include <fmt/format.h>

#include "core/error.h"
#include "judge/cross_check.h"
#include "judge/records.h"
#include "judge/trust.h"
#include "oracles/explain/explain.h"

namespace gradproof {
namespace {

bool is_judged(const Claim& claim, const TensorSpec& spec) {
  if (spec.role == Role::gradient) return claim.backward;
  if (spec.role != Role::output && spec.role != Role::buffer) return false;
  // Gradients are judged from the saved statistics, so these are judged whenever gradients are.
  return claim.forward || spec.name == "mean" || spec.name == "rstd";
}

std::string witness_text(const Judged& judged, const Dissent& dissent) {
  const std::string text = fmt::format("{}, {}", kOracle, dissent.asked);
  if (judged.escalated == 0) return text;
  return text + fmt::format("; {} element{} at 50 digits", judged.escalated,
                            judged.escalated == 1 ? "" : "s");
}

Verdict verdict_of(const CaseRun& run, const std::string& name, const Judged& judged,
                   const Dissent& dissent) {
  if (const auto found = dissent.texts.find(name); found != dissent.texts.end())
    return {Outcome::instrument_broken, found->second};
  return kernel_verdict(run, name, judged.discrepancy);
}

/// ", largest: exp (61%)" of the worst element's bound; empty where there is none to divide.
std::string largest_text(const CaseRun& run, const std::string& name, const Discrepancy& d) {
  if (d.elements == 0) return "";
  const std::string term = largest_term(
      run.claim, run.inputs, given_statistics(run.claim, run.first.tensors), name, d.worst.index);
  return term.empty() ? "" : ", largest: " + term;
}

}  // namespace

Verdict kernel_verdict(const CaseRun& run, const std::string& name, const Discrepancy& found) {
  Verdict verdict = judge(found);
  if (verdict.outcome == Outcome::passed)
    if (std::string lack = missing_variation(run.claim, run.inputs, name); !lack.empty())
      verdict = {Outcome::mistrusted, std::move(lack)};
  const std::string& first = run.first.digests.at(name);
  const std::string& second = run.second.digests.at(name);
  const bool held = verdict.outcome == Outcome::passed || verdict.outcome == Outcome::mistrusted;
  if (!held || !run.claim.contract.deterministic || first == second) return verdict;
  return {Outcome::nondeterministic,
          fmt::format("bits {}, under another schedule and in other memory {}", first, second)};
}

std::vector<Record> truth_records(const Case& c, const CaseRun& run) {
  Claim whole = run.claim;
  whole.forward = true;  // the saved statistics are judged whatever `op` says
  const Tensors& got = run.first.tensors;
  const auto all = compare_with_truth(whole, run.inputs, given_statistics(run.claim, got), got);
  const Dissent dissent =
      dissent_of(run.claim, run.inputs, static_cast<std::uint64_t>(c.integer("seed")));
  std::vector<Record> records;
  for (const Role role : {Role::output, Role::buffer, Role::gradient}) {
    for (const TensorSpec& spec : run.claim.tensors) {
      if (spec.role != role || !is_judged(run.claim, spec)) continue;
      const auto judged = all.find(spec.name);
      if (judged == all.end()) throw InstrumentError("the oracle is silent on " + spec.name);
      Record record = blank_record(c);
      record.tensor = spec.name;
      record.witness = witness_text(judged->second, dissent);
      record.shape = spec.layout.shape;
      record.discrepancy = judged->second.discrepancy;
      record.escalated = judged->second.escalated;
      record.certified = record.discrepancy.elements - record.escalated;
      record.why = judged->second.why + largest_text(run, spec.name, record.discrepancy);
      record.verdict = verdict_of(run, spec.name, judged->second, dissent);
      record.digest = run.first.digests.at(spec.name);
      records.push_back(std::move(record));
    }
  }
  return records;
}

}  // namespace gradproof
