// SPDX-License-Identifier: Apache-2.0
#include "oracles/claim/graph_of_claim.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/graph/stages.h"

namespace gradproof {
namespace {

FormSet only(int form) { return {1U << form}; }

/// The contract's reduction of that name; 0 where it has none.
std::int64_t chain_of(const Contract& contract, std::string_view name) {
  const auto found =
      std::find_if(contract.reductions.begin(), contract.reductions.end(),
                   [&](const Reduction& reduction) { return reduction.name == name; });
  return found == contract.reductions.end() ? 0 : found->chain;
}

SumOrder chain(std::int64_t additions) { return {SumOrder::Kind::chain, additions}; }

/// The form of a kernel's weighting: one weight of a whole group is multiplied in after the sums.
int weighting_of(const Claim& claim) {
  if (claim.groups() > 0) return 0;
  return claim.contract.backward == NormBackward::centered ? 2 : 1;
}

/// The chain of the sum of a parameter's gradient: over the rows, and where the parameter is one
/// number for all columns also over these, afterwards or all at once.
std::int64_t parameter_chain(const Claim& claim, bool shared) {
  const Contract& contract = claim.contract;
  const std::int64_t over_rows =
      chain_of(contract, claim.groups() > 0 ? "parameters" : "gradients");
  if (!shared) return over_rows;
  const Reduction& columns = contract.reduction("shared");
  return columns.length == claim.cols() ? over_rows + columns.chain : columns.chain;
}

bool is_shared(const Claim& claim, const GraphStep& step) {
  return claim.cols() > 1 && step.operands.size() > 1 && !step.operands[1].is_number() &&
         claim.graph.axes_of(step.operands[1].name).empty();
}

StepContract step_contract(const Claim& claim, const GraphStep& step) {
  const Contract& contract = claim.contract;
  StepContract c;
  const bool welford = contract.variance == Variance::welford;
  // Welford's mean and sum of squares take one step more than a sum: over_forms() adds it.
  c.order(SumRole::value) =
      chain(std::max<std::int64_t>(chain_of(contract, "statistics") - (welford ? 1 : 0), 0));
  c.order(SumRole::gradients) = chain(chain_of(contract, "gradients"));
  c.order(SumRole::parameters) = chain(parameter_chain(claim, is_shared(claim, step)));
  c.said(FormPart::variance) = only(static_cast<int>(contract.variance));
  c.said(FormPart::xhat) = only(0);
  c.said(FormPart::affine) = only(contract.affine_folded ? 1 : 0);
  c.said(FormPart::adjoint) = only(static_cast<int>(contract.backward));
  c.said(FormPart::weighting) = only(weighting_of(claim));
  c.said(FormPart::weight_gradient) = only(static_cast<int>(contract.backward));
  c.said(FormPart::sigmoid) = only(contract.swish == SwishForm::quotient ? 1 : 0);
  c.said(FormPart::complement) = only(contract.complement == SigmoidComplement::subtracted ? 1 : 0);
  c.said(FormPart::cotangent) = only(contract.cotangent_first ? 1 : 0);
  c.said(FormPart::division) = only(0);
  c.said(FormPart::update) = only(contract.running == RunningUpdate::lerp ? 1 : 0);
  const bool closed = contract.scale_in_closed_form && claim.batch_statistics();
  c.said(FormPart::scale_gradient) = only(closed ? 1 : 0);
  return c;
}

/// In a training step with no rows the running statistics do not change; one row has no unbiased
/// variance, and the biased one takes its place.
void say_statistics(const Claim& claim, const Tensors& inputs, Graph& graph) {
  if (claim.rows() == 0) {
    std::erase_if(graph.steps,
                  [](const GraphStep& s) { return graph_stage(s.stage).moves_statistic(); });
    graph.outputs = {"y"};
  }
  for (GraphStep& s : graph.steps) {
    if (!graph_stage(s.stage).moves_statistic()) continue;
    if (s.stage == "running_var" && claim.rows() == 1)
      s.options["correction"] = fmt::format("{}", 0);
    if (!claim.cumulative) continue;
    const double batches = get(inputs, "num_batches_tracked").at(0) + 1;
    s.options["momentum"] = fmt::format("{}", round_to(claim.contract.scalar, 1 / batches));
  }
}

/// Adds the statistics of the first norm, as the claim's outputs are.
void add_statistics(const Claim& claim, GraphClaim& graph) {
  const auto norm = std::find_if(graph.graph.steps.begin(), graph.graph.steps.end(),
                                 [](const GraphStep& s) { return graph_stage(s.stage).is_norm(); });
  if (norm == graph.graph.steps.end()) return;
  if (claim.groups() == 0 && claim.rows() == 0 && claim.batch_statistics()) return;
  graph.statistics = {{"mean", norm->value, false}, {"rstd", norm->value, true}};
}

}  // namespace

std::string target_of(const Claim& claim, const TensorSpec& spec) {
  if (spec.role != Role::buffer) return spec.name;
  for (const GraphStep& s : claim.graph.steps)
    if (graph_stage(s.stage).moves_statistic() && s.operands[1].name == spec.name)
      return claim.rows() > 0 ? s.value : "";
  return "";
}

Tensors statistics_from(const std::optional<GivenStatistics>& given) {
  if (!given || given->mean.numel() == 0) return {};
  return {{"mean", given->mean}, {"rstd", given->rstd}};
}

std::vector<double> kept_numbers(const Claim& claim, const TensorSpec& spec,
                                 const Tensors& inputs) {
  const Tensor& before = get(inputs, spec.name);
  const bool counts =
      spec.dtype == DType::i64 && claim.update_running() && claim.batch_statistics();
  std::vector<double> numbers(static_cast<std::size_t>(before.numel()));
  before.read(0, 1, before.numel(), numbers.data());
  if (counts) ++numbers[0];
  return numbers;
}

GraphClaim graph_of_claim(const Claim& claim, const Tensors& inputs) {
  GraphClaim all{claim.graph, claim.extents, {}};
  say_statistics(claim, inputs, all.graph);
  add_statistics(claim, all);
  GraphContract& c = all.contract;
  c.storage = claim.contract.storage;
  c.accumulation = claim.contract.accumulation;
  c.flush_to_zero = claim.contract.flush_to_zero;
  c.stored_values = false;
  c.functions.exp = claim.contract.exp_error;
  c.functions.rsqrt = claim.contract.rsqrt_error;
  for (const GraphStep& s : all.graph.steps) c.steps[s.value] = step_contract(claim, s);
  for (const TensorSpec& spec : claim.tensors) {
    const std::string target = target_of(claim, spec);
    if (!target.empty() && spec.dtype != c.storage) c.results[target] = spec.dtype;
  }
  return all;
}

GraphClaim audited_graph_of_claim(const Claim& claim, const Tensors& inputs) {
  GraphClaim all = graph_of_claim(claim, inputs);
  all.statistics.clear();
  std::erase_if(all.graph.steps,
                [](const GraphStep& s) { return graph_stage(s.stage).moves_statistic(); });
  all.graph.outputs = {"y"};
  for (GraphTensor& tensor : all.graph.tensors)
    if (has_gradient(tensor.part) && !(claim.backward && claim.has(gradient_name(tensor.name))))
      tensor.part = TensorPart::fixed;
  return all;
}

}  // namespace gradproof
