// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/silences.h"

#include <algorithm>

#include "core/error.h"
#include "core/graph/stages.h"

namespace gradproof {

GraphStep norm_of(const Claim& claim) {
  const std::vector<GraphStep> chain = claim.chain();
  const std::size_t norm = first_norm(chain);
  if (norm == chain.size()) throw InstrumentError("the claim has no norm");
  return chain[norm];
}

namespace silences {
namespace {

bool has_norm(const Claim& claim) {
  const std::vector<GraphStep> chain = claim.chain();
  return first_norm(chain) < chain.size();
}

bool is_factor(const GraphStep& step) {
  return graph_stage(step.stage).is_factor() && !step.operands[1].is_number();
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
  return unless(claim.backward && claim.rows() > 0,
                "no gradients are asked for, or there are no rows");
}

std::string lacks(const Claim& claim, const std::string& tensor) {
  return unless(claim.has(tensor), "there is no " + tensor);
}

std::string fewer_rows_than(const Claim& claim, std::int64_t rows) {
  return unless(claim.rows() >= rows, "it takes " + std::to_string(rows) + " rows");
}

std::string shared_elements(const Claim& claim) {
  return unless(std::none_of(claim.tensors.begin(), claim.tensors.end(), repeats_elements),
                "elements of dy share memory, so that none changes by itself");
}

std::string rows_tied(const Claim& claim) {
  return unless(!has_norm(claim) || claim.groups() > 0 || !claim.batch_statistics(),
                "a BatchNorm in training ties the rows together");
}

std::string no_own_statistics(const Claim& claim) {
  return unless(has_norm(claim) && claim.batch_statistics(),
                "nothing is normalised by statistics of its own");
}

std::string norm_not_first(const Claim& claim) {
  const std::vector<GraphStep> chain = claim.chain();
  const auto norm = chain.begin() + static_cast<std::ptrdiff_t>(first_norm(chain));
  const bool first = norm != chain.end() && std::all_of(chain.begin(), norm, is_factor) &&
                     (claim.groups() == 0 || norm == chain.begin());
  return unless(first, "no norm takes x itself, or x times a scale");
}

std::string no_moving_buffers(const Claim& claim) {
  return unless(claim.forward && claim.update_running() && claim.rows() > 1,
                "no running statistics move");
}

std::string no_buffers(const Claim& claim) {
  return unless(claim.has("running_mean"), "there are no running statistics");
}

std::string groups(const Claim& claim) {
  return unless(claim.groups() == 0, "what a GroupNorm normalises is no column");
}

std::string no_groups(const Claim& claim) {
  return unless(claim.groups() > 1, "there are no groups, or one");
}

std::string nondeterministic(const Claim& claim) {
  return unless(claim.contract.deterministic, "the contract does not promise the same bits");
}

}  // namespace silences
}  // namespace gradproof
