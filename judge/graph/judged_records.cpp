// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/judged_records.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/graph/graph_case.h"
#include "core/tensor/digest.h"
#include "judge/graph/chains/consistent_chains.h"
#include "judge/graph/chains/measured_chains.h"
#include "judge/graph/diagnoses.h"
#include "judge/graph/given_run.h"
#include "judge/graph/judged_run.h"
#include "judge/graph/known_truth.h"
#include "judge/graph/last_truths.h"
#include "judge/tensor_records.h"
#include "judge/trust.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/libtorch/autograd.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {
namespace {

/// LibTorch's float64 has 2^29 times the precision of float32. If LibTorch is within this share of
/// the bound of the truth, a smaller error of the truth changes the verdict only on results whose
/// error is within this share of the bound.
constexpr double kAgrees = 0x1p-12;

/// LibTorch's float64 answers that are out of their own bound, in words, by tensor. That bound
/// takes another evaluation, which is spared where LibTorch is within kAgrees of the judged bound.
std::map<std::string, std::string> disagreements(const GraphRun& run, const JudgedRun& judged_run) {
  LastTruths& last = LastTruths::of_process();
  const auto has_agreed = [&](const auto& tensor) {
    return tensor.second.truths && last.has_agreed(tensor.second.truths);
  };
  if (std::all_of(judged_run.begin(), judged_run.end(), has_agreed)) return {};
  GraphRun own = in_libtorch_float64(run);
  std::erase_if(own.got, [&](const auto& tensor) {
    const auto found = judged_run.find(tensor.first);
    if (found == judged_run.end()) return true;
    const auto& truths = found->second.truths;
    const bool agrees = truths && is_within(tensor.second, *truths, kAgrees);
    if (agrees) last.note_agreement(truths);
    return agrees;
  });
  std::map<std::string, std::string> texts;
  if (own.got.empty()) return texts;
  for (const auto& [name, judged] : judge_graph(own.claim, own.inputs, own.got))
    if (judged.discrepancy.bad > 0)
      texts[name] = disagreement(judged.discrepancy, get(own.got, name));
  return texts;
}

/// Writes what is known of the chains of additions behind the tensor into the Record.
void add_chain(const SumChains& chains, const std::string& tensor, Record& record) {
  const auto found = chains.find(tensor);
  if (found == chains.end()) return;
  record.chain = found->second;
  record.why += "; " + chain_text(found->second);
}

Record record_of(const JudgedTensor& tensor, const Tensor& got, const Record& blank) {
  const Judged& judged = tensor.judged;
  Record record = blank;
  record.witness = witness_text(judged.escalated, "");
  record.shape = got.shape();
  record.figures = judged.discrepancy;
  record.escalated = judged.escalated;
  record.certified = judged.discrepancy.elements - judged.escalated;
  record.verdict = verdict_of(tensor);
  record.why = judged.why;
  record.rung = tensor.rung;
  record.bound = tensor.bound;
  record.digest = digest(got);
  return record;
}

/// Adds what the Case's line says of the tensor's truth, which settles what sizes left in doubt.
void add_known_truth(const GraphClaim& claim, Record& record) {
  record.known = known_truth(claim.graph, claim.extents, record.tensor, record.discrepancy());
  record.verdict = with_known_truth(record.verdict, record.discrepancy(), record.known);
}

/// The verdict on a kernel's tensor, from the comparison, from what a pass proves, from the counted
/// additions, and from whether a second run gave the same bits.
Verdict kernel_verdict(const GraphRun& run, const std::string& tensor, const Record& record) {
  Verdict verdict = record.verdict;
  if (verdict.outcome == Outcome::passed && may_be_doubted(record.known))
    if (std::string lack = reason_to_mistrust(run.claim.graph, run.inputs, tensor); !lack.empty())
      verdict = {Outcome::mistrusted, std::move(lack)};
  if (!is_wrong(verdict.outcome))
    if (std::string shorter = shorter_than_measured(run, tensor); !shorter.empty())
      return {Outcome::failed, std::move(shorter)};
  const auto again = run.again.find(tensor);
  return again == run.again.end() ? verdict : same_bits_or(verdict, record.digest, again->second);
}

/// The verdict on a tensor that somebody gave, from the comparison and from what a pass proves.
Verdict given_verdict(const GraphRun& run, const std::string& tensor, const Record& record) {
  const Verdict& verdict = record.verdict;
  if (verdict.outcome != Outcome::passed || !may_be_doubted(record.known)) return verdict;
  std::string lack = reason_to_mistrust_given(run.claim.graph, run.inputs, tensor);
  return lack.empty() ? verdict : Verdict{Outcome::mistrusted, std::move(lack)};
}

void add_given_verdict(const Case& c, const GraphRun& run, Record& record) {
  record.verdict = given_verdict(run, record.tensor, record);
  say_no_gradient(c, record);
}

/// Adds LibTorch's answer about the oracle to the Records of judged tensors: in all Cases, or in a
/// Case in which such a tensor is wrong.
void add_second_witness(const GraphRun& run, const JudgedRun& judged, SecondWitness witness,
                        std::vector<Record>& records) {
  const auto is_convicted = [&](const Record& r) {
    return judged.contains(r.tensor) && is_wrong(r.verdict.outcome);
  };
  if (witness == SecondWitness::of_failures &&
      std::none_of(records.begin(), records.end(), is_convicted))
    return;
  if (!has_libtorch()) return;
  const auto broken = disagreements(run, judged);
  for (Record& record : records) {
    if (!judged.contains(record.tensor)) continue;
    record.witness = witness_text(record.escalated, "LibTorch float64");
    if (const auto text = broken.find(record.tensor); text != broken.end())
      record.verdict = {Outcome::instrument_broken, text->second};
  }
}

}  // namespace

std::vector<Record> judged_records(const Case& c, const GraphRun& run, const Record& blank,
                                   Detail detail, SecondWitness witness) {
  const JudgedRun judged = judged_as_measured(c, run, detail);
  SumChains chains = measured_chains(c, run);
  if (detail != Detail::of_verdicts) chains.merge(consistent_chains(c, run, judged));
  std::vector<Record> records;
  for (const std::string& tensor : c.schema().tensors) {
    const auto found = judged.find(tensor);
    if (found == judged.end()) continue;
    Record record = record_of(found->second, get(run.got, tensor), blank);
    record.tensor = tensor;
    add_known_truth(run.claim, record);
    add_chain(chains, tensor, record);
    if (!run.counted.lack.empty()) record.why += "; sums are not counted: " + run.counted.lack;
    record.context.device = run.who;
    if (!is_graph_in_braces(c))
      record.verdict = kernel_verdict(run, tensor, record);
    else if (has_given_tensors(c))
      add_given_verdict(c, run, record);
    records.push_back(std::move(record));
  }
  add_second_witness(run, judged, witness, records);
  const auto claim_of = [&](const std::string& tensor) -> std::optional<GraphClaim> {
    const auto found = judged.find(tensor);
    if (found == judged.end()) return std::nullopt;
    GraphClaim claim = run.claim;
    claim.contract = found->second.contract;
    return claim;
  };
  // The Python package fills results with 0x7F; what LibTorch and PyTorch compute in 16 bits may be
  // a NaN of ones.
  const std::byte unwritten = is_graph_in_braces(c) ? std::byte{0x7F} : std::byte{0xFF};
  add_diagnoses({run.inputs, {}, run.got, unwritten, claim_of}, records);
  return records;
}

}  // namespace gradproof
