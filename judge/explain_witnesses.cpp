// SPDX-License-Identifier: Apache-2.0
#include "judge/explain_witnesses.h"

#include <fmt/format.h>

#include "core/error.h"
#include "judge/cross_check.h"
#include "oracles/libtorch/autograd.h"
#include "oracles/pipeline/geometry.h"

namespace gradproof {
namespace {

/// The unit of an element, where it has one.
std::optional<std::int64_t> unit_of(const Claim& claim, const TensorSpec& spec,
                                    std::int64_t index) {
  if (claim.is_matrix(spec)) return Geometry(claim).unit_of(index);
  if (spec.role != Role::gradient) return index;
  const bool shared = numel(spec.layout.shape) == 1 && claim.cols() > 1;
  if (shared || claim.groups() > 0) return std::nullopt;
  return index;
}

}  // namespace

LibTorchAnswer libtorch_answer(const CaseRun& run, const std::string& tensor, std::int64_t index) {
  LibTorchAnswer says;
  Closeup part = closeup_of(run.claim, run.inputs, std::nullopt, tensor, {index});
  if (part.claim.rows() * part.claim.cols() > kWitnessedElements) {
    says.silence =
        fmt::format("not asked about {} elements", part.claim.rows() * part.claim.cols());
    return says;
  }
  try {
    const Tensors witness = autograd_witness(part.claim, part.inputs);
    const auto found = witness.find(tensor);
    if (found == witness.end()) {
      says.silence = "has no " + tensor;
      return says;
    }
    says.value = found->second.at(part.indices.front());
    part.claim = as_libtorch_float64(part.claim);
    const Truth truth = truths_of(part, tensor).front();
    says.off = Comparand{index, says.value, truth}.error();
    says.bound = truth.bound;
  } catch (const InstrumentError& error) {
    says.silence = error.what();
  }
  return says;
}

std::vector<SavedStatistic> saved_statistics(const CaseRun& run, const std::string& tensor,
                                             std::int64_t index) {
  std::vector<SavedStatistic> saved;
  const std::optional<std::int64_t> unit = unit_of(run.claim, run.claim.tensor(tensor), index);
  for (const char* name : {"mean", "rstd"}) {
    const auto got = run.judged.tensors.find(name);
    if (!unit || !run.claim.has(name) || got == run.judged.tensors.end()) continue;
    const Truth truth =
        truths_of(closeup_of(run.claim, run.inputs, std::nullopt, name, {*unit}), name).front();
    saved.push_back({name, {*unit, got->second.at(*unit), truth}});
  }
  return saved;
}

std::string schedule_text(const std::string& first, const std::string& second) {
  if (first == second) return "the same bits, " + first;
  return fmt::format("other bits: {} and {}", first, second);
}

std::string other_schedule_text(const CaseRun& run, const std::string& tensor) {
  const std::string& first = run.judged.digests.at(tensor);
  const std::string& second = run.rerun.digests.at(tensor);
  return schedule_text(first, second) + (first == second || run.claim.contract.deterministic
                                             ? ""
                                             : ", which the contract permits");
}

}  // namespace gradproof
