// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/nodes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/name_rules.h"
#include "core/graph/stages.h"
#include "oracles/diagnosis/edited_graph.h"
#include "oracles/graph/explain/graph_site.h"
#include "oracles/graph/judge_graph.h"

namespace gradproof::diagnosis {
namespace {

/// Nodes take some 100 bytes for each number while they are computed.
constexpr double kMostNumbers = 0x1p22;

/// The name that a norm's xhat has where a step of its own multiplies the weight in.
std::string xhat_name(const std::string& value) { return "edit_xhat_" + value; }
std::string scaled_name(const std::string& value) { return "edit_scaled_" + value; }

/// The claim whose norms leave weight and beta to steps of their own.
GraphClaim without_affine(const GraphClaim& claim) {
  GraphClaim split = claim;
  split.graph.steps.clear();
  for (GraphStep step : claim.graph.steps) {
    const std::string value = step.value;
    const std::size_t weight = place_of_operand(step, "weight");
    const std::size_t beta = place_of_operand(step, "beta");
    const std::vector<GraphOperand> operands = step.operands;
    if (!graph_stage(step.stage).is_norm() || weight >= operands.size()) {
      split.graph.steps.push_back(std::move(step));
      continue;
    }
    step.operands.resize(weight);
    step.value = xhat_name(value);
    const std::string scaled = beta < operands.size() ? scaled_name(value) : value;
    for (const std::string& name : {step.value, scaled})
      if (const auto own = claim.contract.steps.find(value); own != claim.contract.steps.end())
        split.contract.steps[name] = own->second;
    for (NormStatistic& statistic : split.statistics)
      if (statistic.norm == value) statistic.norm = step.value;
    const std::vector<std::string> axes = step.value_axes;
    split.graph.steps.push_back(std::move(step));
    split.graph.steps.push_back(
        elementwise_step(scaled, "multiply", {{xhat_name(value), 0}, operands[weight]}, axes));
    if (beta < operands.size())
      split.graph.steps.push_back(
          elementwise_step(value, "add", {{scaled, 0}, operands[beta]}, axes));
  }
  return split;
}

/// The graph in which a zero is added to each step's value: the zero's gradient is what goes back
/// to the value.
class Probed {
 public:
  explicit Probed(const GraphClaim& split, const Tensors& inputs) : claim_(split), inputs_(inputs) {
    Graph& graph = claim_.graph;
    const std::vector<GraphStep> steps = graph.steps;
    graph.steps.clear();
    for (const GraphStep& step : steps) {
      graph.steps.push_back(renamed(step));
      if (!is_probed(step)) continue;
      add_probe(step);
    }
    for (std::string& output : graph.outputs) rename_output(output);
    for (const GraphStep& step : steps)
      if (!has_name(graph.outputs, step.value)) graph.outputs.push_back(step.value);
  }

  static bool is_probed(const GraphStep& step) {
    return !graph_stage(step.stage).moves_statistic();
  }
  static std::string probe(const std::string& value) { return "edit_probe_" + value; }

  const GraphClaim& claim() const { return claim_; }
  const Tensors& inputs() const { return inputs_; }

 private:
  static std::string probed(const std::string& value) { return "edit_probed_" + value; }

  GraphStep renamed(GraphStep step) const {
    for (GraphOperand& operand : step.operands)
      if (has_name(probed_, operand.name)) operand.name = probed(operand.name);
    return step;
  }

  void add_probe(const GraphStep& step) {
    const std::string name = probe(step.value);
    claim_.graph.tensors.push_back({name, TensorPart::input, step.value_axes, true});
    claim_.graph.steps.push_back(
        elementwise_step(probed(step.value), "add", {{step.value, 0}, {name, 0}}, step.value_axes));
    Tensor zero(DType::f32, claim_.shape_of(step.value));
    for (std::int64_t i = 0; i < zero.numel(); ++i) zero.set(i, 0);
    inputs_.emplace(name, std::move(zero));
    probed_.push_back(step.value);
  }

  void rename_output(std::string& output) {
    if (!has_name(probed_, output)) return;
    auto cotangent = inputs_.extract(cotangent_name(output));
    output = probed(output);
    if (cotangent.empty()) return;
    cotangent.key() = cotangent_name(output);
    inputs_.insert(std::move(cotangent));
  }

  GraphClaim claim_;
  Tensors inputs_;
  std::vector<std::string> probed_;
};

Reals reals_of(const Truths& truths) {
  Reals all;
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const Truth truth = truths.at(i);
    all.push_back(LongDouble(truth.hi) + LongDouble(std::isfinite(truth.hi) ? truth.lo : 0));
  }
  return all;
}

Reals reals_of(const Tensor& tensor) {
  Reals all;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) all.push_back(tensor.at(i));
  return all;
}

double numbers_in(const GraphClaim& claim) {
  double numbers = 0;
  for (const GraphStep& step : claim.graph.steps)
    numbers += 2 * static_cast<double>(numel(claim.shape_of(step.value)));
  return numbers;
}

/// The step's place in the line, of which the norm may be two or three steps here.
std::size_t place_in(const Graph& line, const std::string& value) {
  const auto is_of = [&](const GraphStep& step) {
    return value == step.value || value == xhat_name(step.value) ||
           value == scaled_name(step.value);
  };
  return static_cast<std::size_t>(std::ranges::find_if(line.steps, is_of) - line.steps.begin());
}

void add_step(const Graph& line, const GraphStep& step, Node& node) {
  const std::size_t place = place_in(line, step.value);
  const std::string& value = line.steps[place].value;
  const std::string stage = stage_text(line, place);
  const bool is_output = has_name(line.outputs, value);
  node.text = step.value == xhat_name(value)     ? "xhat"
              : step.value == scaled_name(value) ? "xhat times weight"
                                                 : "the value behind " + stage;
  node.cotangent_text = step.value == xhat_name(value) ? "the cotangent of xhat"
                        : is_output                    ? cotangent_name(value)
                                                       : "the cotangent behind " + stage;
}

/// The answers of the oracle about the probed graph.
using Answered = std::map<std::string, GraphTruths, std::less<>>;
Answered answered(const Probed& probed, const std::vector<GraphStep>& steps,
                  const Tensors& statistics) {
  Tensors likes;
  JudgedTensors asked;
  const auto ask = [&](const std::string& name, const Shape& shape) {
    asked.emplace(name, &likes.emplace(name, Tensor(DType::f64, shape)).first->second);
  };
  for (const GraphStep& step : steps) {
    const Shape shape = probed.claim().shape_of(step.value);
    ask(step.value, shape);
    if (Probed::is_probed(step)) ask(gradient_name(Probed::probe(step.value)), shape);
  }
  FurtherInputs further;
  further.statistics = statistics;
  return truths_of_graph(probed.claim(), probed.inputs(), asked, further);
}

void add_rstd(const GraphClaim& claim, const Tensors& statistics, Nodes& nodes) {
  const auto found = statistics.find("rstd");
  if (found == statistics.end()) return;
  nodes.rstd = reals_of(found->second);
  for (const CountedAxis& axis : counted_axes(claim, "rstd"))
    if (axis.width == 1) nodes.rstd_axes.push_back(axis.name);
  if (nodes.rstd_axes.size() != counted_axes(claim, "rstd").size()) nodes.rstd.clear();
}

}  // namespace

const Node* Nodes::find(std::string_view name) const {
  const auto found = std::ranges::find(all, name, &Node::name);
  return found == all.end() ? nullptr : &*found;
}

std::optional<Nodes> nodes_of(const GraphClaim& claim, const Tensors& inputs,
                              const Tensors& statistics) {
  if (!claim.graph.definitions.empty()) return std::nullopt;
  const GraphClaim split = without_affine(claim);
  if (numbers_in(split) > kMostNumbers) return std::nullopt;
  Nodes nodes{split.graph, {}, {}, {}};
  for (const GraphTensor& tensor : split.graph.tensors)
    if (const auto found = inputs.find(tensor.name);
        found != inputs.end() && found->second.dtype() != DType::i64)
      nodes.all.push_back({tensor.name, tensor.name, tensor.axes, reals_of(found->second), "", {}});
  try {
    const Probed probed(split, inputs);
    const Answered answers = answered(probed, split.graph.steps, statistics);
    for (const GraphStep& step : split.graph.steps) {
      const auto value = answers.find(step.value);
      const auto back = answers.find(gradient_name(Probed::probe(step.value)));
      if (value == answers.end()) return std::nullopt;
      Node node{step.value, "", step.value_axes, reals_of(value->second.truths), "", {}};
      add_step(claim.graph, step, node);
      if (back != answers.end()) node.cotangent = reals_of(back->second.truths);
      nodes.all.push_back(std::move(node));
    }
    add_rstd(claim, statistics, nodes);
  } catch (const UsageError&) {
    return std::nullopt;
  } catch (const InstrumentError&) {
    return std::nullopt;
  }
  return nodes;
}

}  // namespace gradproof::diagnosis
