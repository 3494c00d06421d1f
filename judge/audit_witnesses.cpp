// SPDX-License-Identifier: Apache-2.0
#include "judge/audit_witnesses.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/error.h"
#include "judge/agreement.h"
#include "judge/tensor_records.h"
#include "oracles/claim/graph_of_claim.h"
#include "oracles/diagnosis/diagnose.h"
#include "oracles/libtorch/autograd.h"

namespace gradproof {
namespace {

/// Removes the digits of a witness that is within its bound and further off than the truth is
/// large: both numbers are 0 as far as the bound tells, so no digit is to be compared.
void leave_out_digits_of_zero(AuditWitness& witness) {
  if (witness.verdict != WitnessVerdict::agrees || !(witness.digits < 0)) return;
  witness.digits = std::numeric_limits<double>::quiet_NaN();
  witness.text += (witness.text.empty() ? "" : "; ") + std::string("0 within its bound");
}

/// The numbers that the diagnosis of one gradient may evaluate: an audit has time.
constexpr double kAuditNumbers = 4 * kDiagnosedNumbers;
/// The wrong entries that are named.
constexpr std::size_t kNamed = 8;

/// The worst wrong entry, then the first ones and the last ones.
std::vector<std::int64_t> wrong_entries(const Discrepancy& d) {
  std::vector<std::int64_t> all;
  if (d.bad > 0) all.push_back(d.worst.index);
  for (const auto* some : {&d.first_bad, &d.last_bad})
    for (const Element& element : *some)
      if (all.size() < kNamed && std::ranges::find(all, element.index) == all.end())
        all.push_back(element.index);
  return all;
}

Answers answers_about(const CaseRun& run, const std::optional<GivenStatistics>& given) {
  Claim whole = run.claim;
  whole.forward = true;  // the saved statistics are judged as well
  return evaluate(whole, run.inputs, given);
}

}  // namespace

KernelWitness::KernelWitness(const CaseRun& run)
    : run_(run), broken_(simt::text_of(run.findings())) {
  if (!broken_.empty()) return;
  given_ = given_statistics(run.claim, run.judged.tensors);
  answers_ = answers_about(run, given_);
  if (!given_) return;
  for (const char* name : {"mean", "rstd"}) {
    const Discrepancy d = compare(get(run.judged.tensors, name), answers_.find(name)->second);
    if (d.bad > 0)
      statistics_ += fmt::format("{}its forward saved a wrong {}, {} of {}",
                                 statistics_.empty() ? "" : "; ", name, d.bad, d.elements);
  }
}

AuditWitness KernelWitness::on(const std::string& gradient) const {
  AuditWitness witness;
  if (broken_.empty())
    judge_tensor(gradient, witness);
  else
    witness.text = broken_;
  if (!broken_.empty() || !statistics_.empty()) witness.verdict = WitnessVerdict::wrong;
  if (!statistics_.empty()) witness.text += (witness.text.empty() ? "" : "; ") + statistics_;
  return witness;
}

void KernelWitness::judge_tensor(const std::string& gradient, AuditWitness& witness) const {
  const Tensor& got = get(run_.judged.tensors, gradient);
  const Answer& truth = answers_.find(gradient)->second;
  const std::int64_t width = run_.claim.groups() > 0 ? run_.claim.block_width() : 0;
  const Discrepancy d = compare(got, truth, width);
  if (d.elements == 0) {
    witness.text = "no elements";
    return;
  }
  witness.digits = digits_of_agreement(got, truth);
  witness.ratio = d.max_ratio;
  const Verdict verdict = kernel_verdict(run_, gradient, d);
  witness.text = verdict.reason;
  switch (verdict.outcome) {
    case Outcome::passed:
      witness.verdict = WitnessVerdict::agrees;
      leave_out_digits_of_zero(witness);
      return;
    case Outcome::improbable:
    case Outcome::failed: {
      double numbers = kAuditNumbers;
      const std::string words = diagnose(graph_of_claim(run_.claim, run_.inputs), run_.inputs,
                                         statistics_from(given_), {gradient, got}, numbers);
      witness.verdict = WitnessVerdict::wrong;
      witness.wrong = d.bad;
      witness.entries = wrong_entries(d);
      witness.text = d.pattern;
      if (!words.empty()) witness.text += (witness.text.empty() ? "" : "; ") + words;
      return;
    }
    case Outcome::nondeterministic:
      witness.verdict = WitnessVerdict::wrong;
      return;
    default:
      witness.verdict = WitnessVerdict::mistrusted;
  }
}

LibTorchWitness::LibTorchWitness(const Claim& claim, const Tensors& inputs, std::uint64_t seed) {
  if (!has_libtorch()) {
    refusal_ = kNoLibTorch;
    return;
  }
  try {
    checked_ = cross_check(claim, inputs, seed);
  } catch (const InstrumentError& error) {
    refusal_ = error.what();
  }
}

AuditWitness LibTorchWitness::on(const std::string& gradient) const {
  AuditWitness witness;
  witness.name = Witness::libtorch;
  witness.text = refusal_;
  if (!refusal_.empty()) return witness;
  const auto found = checked_.agreements.find(gradient);
  if (found == checked_.agreements.end()) {
    witness.text = "has no " + gradient;
    return witness;
  }
  witness.digits = found->second.digits;
  witness.ratio = found->second.ratio;
  witness.wrong = found->second.bad;
  witness.verdict = witness.wrong > 0 ? WitnessVerdict::wrong : WitnessVerdict::agrees;
  const auto text = checked_.texts.find(gradient);
  witness.text = text == checked_.texts.end() ? checked_.asked : text->second;
  leave_out_digits_of_zero(witness);
  return witness;
}

}  // namespace gradproof
