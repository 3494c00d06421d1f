// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/silences.h"

#include <algorithm>

#include "core/error.h"
#include "core/graph/stages.h"
#include "properties/laws/axes.h"
#include "properties/laws/normalisation/normalised_tensor.h"

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
  return unless(claim.backward && (claim.by_graph || claim.rows() > 0),
                "no gradients are asked for, or there are no rows");
}

std::string lacks(const Claim& claim, const std::string& tensor) {
  return unless(claim.has(tensor), "there is no " + tensor);
}

std::string fewer_rows_than(const Claim& claim, std::int64_t rows) {
  return unless(row_count(claim) >= rows, "it takes " + std::to_string(rows) + " rows");
}

std::string shared_elements(const Claim& claim) {
  return unless(std::none_of(claim.tensors.begin(), claim.tensors.end(), repeats_elements),
                "elements of dy share memory, so that none changes by itself");
}

std::string rows_tied(const Claim& claim) {
  const std::string axis = row_axis(claim);
  if (use_of(claim.graph, axis).coupled) return "a step ties the rows together";
  return outputs_without_rows(claim);
}

std::string outputs_without_rows(const Claim& claim) {
  const std::string axis = row_axis(claim);
  return unless(std::ranges::all_of(claim.graph.outputs,
                                    [&](const std::string& output) {
                                      return !claim.by_graph ||
                                             has_name(claim.graph.axes_of(output), axis);
                                    }),
                "an output has no rows");
}

std::string rows_ordered(const Claim& claim) {
  const std::string axis = row_axis(claim);
  const std::int64_t rows = row_count(claim);
  return unless(
      !use_of(claim.graph, axis).ordered && width_of_groups(claim.graph, axis, rows) == rows,
      "a step sees which row is which");
}

std::string rows_summed(const Claim& claim) {
  for (const GraphStep& step : claim.graph.steps) {
    const GraphStage& stage = graph_stage(step.stage);
    const bool moves = !claim.by_graph && stage.moves_statistic();
    if (use_of(claim.graph, step, row_axis(claim)).coupled && !moves &&
        stage.statistics != StageStatistics::own)
      return "a step sums over the rows";
  }
  return outputs_without_rows(claim);
}

std::string no_own_statistics(const Claim& claim) {
  if (claim.by_graph)
    return unless(shifted_tensor(claim).has_value(), "no step takes a mean off a tensor alone");
  return unless(has_norm(claim) && claim.batch_statistics(),
                "nothing is normalised by statistics of its own");
}

std::string norm_not_first(const Claim& claim) {
  return unless(normalised_tensor(claim).has_value(), "no norm takes x itself, or x times a scale");
}

std::string no_norm_weight(const Claim& claim) {
  const auto found = normalised_tensor(claim);
  return unless(found && !found->weight_of(claim).empty(), "there is no weight of a norm's own");
}

std::string given_mean_shared(const Claim& claim) {
  const auto found = normalised_tensor(claim);
  if (!found || graph_stage(found->norm.stage).statistics != StageStatistics::given) return "";
  const std::string mean = operand_of(found->norm, "mean");
  return unless(claim.has(mean) && takers_of(claim, mean) == 1,
                "the norm's mean is no tensor of its own");
}

std::string no_scale(const Claim& claim) {
  const auto found = normalised_tensor(claim);
  return unless(found && !found->factor.empty(), "there is no scale");
}

std::string no_moving_buffers(const Claim& claim) {
  return unless(!claim.by_graph && claim.forward && claim.update_running() && claim.rows() > 1,
                "no running statistics move");
}

std::string no_buffers(const Claim& claim) {
  return unless(std::ranges::any_of(claim.tensors,
                                    [](const auto& spec) { return spec.role == Role::buffer; }),
                "there are no running statistics");
}

std::string groups(const Claim& claim) {
  return unless(claim.groups() == 0, "what a GroupNorm normalises is no column");
}

std::string no_groups(const Claim& claim) {
  return unless(!axes_of_groups(claim).empty(), "there are no groups, or one");
}

std::string by_graph(const Claim& claim) {
  return unless(!claim.by_graph, "it is asked of the catalog's kernels alone");
}

std::string nondeterministic(const Claim& claim) {
  return unless(claim.contract.deterministic, "the contract does not promise the same bits");
}

}  // namespace silences
}  // namespace gradproof
