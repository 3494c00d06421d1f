// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/silences.h"

#include <algorithm>

#include "core/claim/stage_traits.h"

namespace gradproof {

std::vector<Step>::const_iterator first_norm(const Pipeline& pipeline) {
  return std::find_if(pipeline.steps.begin(), pipeline.steps.end(),
                      [](const Step& step) { return traits_of(step).is_norm(); });
}

namespace silences {
namespace {

/// A stage that multiplies what runs through it by a parameter, and does nothing else.
bool is_factor(const Step& step) {
  const StageTraits& traits = traits_of(step);
  return !traits.is_norm() && traits.curved == Curved::never && traits.parameters.size() == 1 &&
         traits.parameters.front().multiplies;
}

bool repeats_elements(const TensorSpec& spec) {
  for (std::size_t d = 0; d < spec.layout.shape.size(); ++d)
    if (spec.layout.strides[d] == 0 && spec.layout.shape[d] > 1) return true;
  return false;
}

std::string unless(bool is_so, const std::string& reason) { return is_so ? "" : reason; }

}  // namespace

std::string first_of(std::initializer_list<std::string> reasons) {
  for (const std::string& reason : reasons)
    if (!reason.empty()) return reason;
  return "";
}

std::string no_gradients(const Claim& claim) {
  return unless(claim.backward && claim.rows > 0,
                "no gradients are asked for, or there are no rows");
}

std::string lacks(const Claim& claim, const std::string& tensor) {
  return unless(claim.has(tensor), "there is no " + tensor);
}

std::string fewer_rows_than(const Claim& claim, std::int64_t rows) {
  return unless(claim.rows >= rows, "it takes " + std::to_string(rows) + " rows");
}

std::string shared_elements(const Claim& claim) {
  return unless(std::none_of(claim.tensors.begin(), claim.tensors.end(), repeats_elements),
                "elements of dy share memory, so that none changes by itself");
}

std::string rows_tied(const Claim& claim) {
  const auto norm = first_norm(claim.pipeline);
  return unless(
      norm == claim.pipeline.steps.end() || claim.groups > 0 || !claim.pipeline.batch_statistics,
      "a BatchNorm in training ties the rows together");
}

std::string no_own_statistics(const Claim& claim) {
  const auto norm = first_norm(claim.pipeline);
  return unless(
      norm != claim.pipeline.steps.end() && (claim.groups > 0 || claim.pipeline.batch_statistics),
      "nothing is normalised by statistics of its own");
}

std::string norm_not_first(const Claim& claim) {
  const std::vector<Step>& steps = claim.pipeline.steps;
  const auto norm = first_norm(claim.pipeline);
  const bool first = norm != steps.end() && std::all_of(steps.begin(), norm, is_factor) &&
                     (claim.groups == 0 || norm == steps.begin());
  return unless(first, "no norm takes x itself, or x times a scale");
}

std::string no_moving_buffers(const Claim& claim) {
  return unless(claim.forward && claim.pipeline.update_running && claim.rows > 1,
                "no running statistics move");
}

std::string no_buffers(const Claim& claim) {
  return unless(claim.has("running_mean"), "there are no running statistics");
}

std::string groups(const Claim& claim) {
  return unless(claim.groups == 0, "what a GroupNorm normalises is no column");
}

std::string no_groups(const Claim& claim) {
  return unless(claim.groups > 1, "there are no groups, or one");
}

std::string nondeterministic(const Claim& claim) {
  return unless(claim.contract.deterministic, "the contract does not promise the same bits");
}

}  // namespace silences
}  // namespace gradproof
