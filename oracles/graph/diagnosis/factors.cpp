// SPDX-License-Identifier: Apache-2.0
// These hypotheses change the whole tensor, cotangents or tensors, but nothing of the graph.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/graph/name_rules.h"
#include "core/graph/stages.h"
#include "core/tensor/dtype.h"
#include "oracles/graph/diagnosis/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

void add_factor(GraphHypotheses& all, std::string text, double factor,
                GraphRank rank = GraphRank::factor) {
  all.push_back({std::move(text), rank, false, [factor](const WrongTensor& asked) {
                   const double unit = unit_roundoff(asked.got.dtype());
                   std::optional<Prediction> predicted{Prediction()};
                   for (const ComparedEntry& entry : asked.entries) {
                     const LongDouble value = LongDouble(factor) * entry.truth;
                     const double size = static_cast<double>(std::fabs(value));
                     predicted->push_back({value, std::fabs(factor) * entry.bound + unit * size});
                   }
                   return predicted;
                 }});
}

/// The tensor with the function applied to each of its numbers.
template <class Function>
Tensor each(const Tensor& tensor, const Function& function) {
  Tensor made(tensor.dtype(), tensor.shape());
  for (std::int64_t i = 0; i < tensor.numel(); ++i) made.set(i, function(tensor.at(i)));
  return made;
}

/// Changes the tensor of that name to the function's result.
template <class Function>
Change of_tensor(std::string name, Function function) {
  return [name = std::move(name), function](const WrongTensor& asked) {
    std::optional<Changed> changed{{asked.claim, asked.inputs, asked.name}};
    const auto found = changed->inputs.find(name);
    if (found != changed->inputs.end()) found->second = function(found->second);
    return changed;
  };
}

Tensor transposed(const Tensor& square) {
  Tensor made(square.dtype(), square.shape());
  const std::int64_t side = square.shape().front();
  for (std::int64_t i = 0; i < square.numel(); ++i)
    made.set(i, square.at(i % side * side + i / side));
  return made;
}

bool is_number_tensor(const WrongTensor& whole, const GraphTensor& tensor) {
  const auto found = whole.inputs.find(tensor.name);
  return found != whole.inputs.end() && found->second.dtype() != DType::i64;
}

/// The numbers that, in place of the tensor, leave a step that takes it without effect.
std::set<double> identities_of(const Graph& graph, const std::string& tensor) {
  std::set<double> found;
  for (const GraphStep& step : graph.steps) {
    const GraphStage& stage = graph_stage(step.stage);
    // The first operand of a sum or a product may be left out as the second one may.
    const bool is_symmetric = stage.is_factor() || stage.is_summand();
    for (std::size_t k = 0; k < step.operands.size(); ++k) {
      if (step.operands[k].name != tensor) continue;
      const double identity = stage.operands[is_symmetric ? 1 : k].identity;
      if (!std::isnan(identity)) found.insert(identity);
    }
  }
  return found;
}

void add_one_tensor(const WrongTensor& whole, const GraphTensor& tensor, GraphHypotheses& all) {
  const std::string& name = tensor.name;
  const Tensor& now = get(whole.inputs, name);
  const auto add = [&](std::string text, auto function) {
    all.push_back(changed_to(std::move(text), of_tensor(name, [function](const Tensor& t) {
                               return each(t, function);
                             })));
  };
  for (const double identity : identities_of(whole.claim.graph, name)) {
    add(fmt::format("{} is left out, as if it were {}", name, identity),
        [identity](double) { return identity; });
    if (identity == 1)
      add(fmt::format("1 + {0} is taken for {0}", name), [](double number) { return 1 + number; });
  }
  if (now.numel() > 1)
    add(fmt::format("the first number of {} is taken for all of it", name),
        [first = now.at(0)](double) { return first; });
  if (now.shape().size() == 2 && now.shape()[0] == now.shape()[1] && now.shape()[0] > 1) {
    all.push_back(changed_to(fmt::format("{} is read transposed", name),
                             of_tensor(name, [](const Tensor& t) { return transposed(t); })));
    all.back().of_whole = true;
  }
}

Change exchanged(const std::string& one, const std::string& other) {
  return [one, other](const WrongTensor& asked) {
    std::optional<Changed> changed{{asked.claim, asked.inputs, asked.name}};
    std::swap(changed->inputs.at(one), changed->inputs.at(other));
    return changed;
  };
}

/// The axes that a step reduces, and those over which a gradient is summed.
std::set<std::string> summed_axes(const WrongTensor& whole) {
  const Graph& graph = whole.claim.graph;
  std::set<std::string> all;
  for (const GraphStep& step : graph.steps)
    if (graph_stage(step.stage).form == StageForm::reduces)
      all.insert(step.axes.begin(), step.axes.end());
  if (!whole.is_gradient()) return all;
  const std::vector<std::string>& own = graph.axes_of(tensor_of_gradient(whole.name));
  for (const std::string& output : graph.outputs)
    for (const std::string& axis : graph.axes_of(output))
      if (!has_name(own, axis)) all.insert(axis);
  return all;
}

/// Puts the gradient of one tensor in the place of another's.
Change gradient_of(const std::string& other) {
  return [other](const WrongTensor& asked) {
    return std::optional<Changed>{{asked.claim, asked.inputs, gradient_name(other)}};
  };
}

}  // namespace

void add_factors(const WrongTensor&, GraphHypotheses& all) {
  add_factor(all, "missing altogether: 0", 0);
  add_factor(all, "its sign is turned", -1);
  add_factor(all, "it is doubled", 2);
  add_factor(all, "it is halved", 0.5);
}

void add_counts(const WrongTensor& whole, GraphHypotheses& all) {
  const GraphRank rank = whole.is_gradient() ? GraphRank::way_back : GraphRank::change;
  for (const std::string& axis : summed_axes(whole)) {
    const std::int64_t extent = whole.claim.extents.at(axis);
    if (extent < 2) continue;
    const auto numbers = static_cast<double>(extent);
    add_factor(all, fmt::format("it is divided by {}, the numbers along {}", extent, axis),
               1 / numbers, rank);
    add_factor(all, fmt::format("it is multiplied by {}, the numbers along {}", extent, axis),
               numbers, rank);
  }
}

void add_cotangents(const WrongTensor& whole, GraphHypotheses& all) {
  if (!whole.is_gradient()) return;
  const std::vector<std::string>& outputs = whole.claim.graph.outputs;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::string name = cotangent_name(outputs[k]);
    const auto add = [&](std::string text, auto function) {
      all.push_back(
          changed_to(std::move(text),
                     of_tensor(name, [function](const Tensor& t) { return each(t, function); }),
                     GraphRank::way_back));
    };
    add(name + " is multiplied in twice", [](double number) { return number * number; });
    add("ones are taken for " + name, [](double) { return 1.0; });
    if (outputs.size() == 1) continue;
    add(name + " is left out", [](double) { return 0.0; });
    for (std::size_t other = k + 1; other < outputs.size(); ++other) {
      const std::string second = cotangent_name(outputs[other]);
      if (whole.claim.graph.axes_of(outputs[k]) == whole.claim.graph.axes_of(outputs[other]))
        all.push_back(changed_to(fmt::format("{} and {} are exchanged", name, second),
                                 exchanged(name, second), GraphRank::way_back));
    }
  }
}

void add_tensors(const WrongTensor& whole, GraphHypotheses& all) {
  const std::vector<GraphTensor>& tensors = whole.claim.graph.tensors;
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    if (!is_number_tensor(whole, tensors[k])) continue;
    add_one_tensor(whole, tensors[k], all);
    for (std::size_t other = 0; other < tensors.size(); ++other) {
      const GraphTensor &one = tensors[k], &second = tensors[other];
      if (one.axes != second.axes || other == k || !is_number_tensor(whole, second)) continue;
      if (other > k)
        all.push_back(changed_to(fmt::format("{} and {} are exchanged", one.name, second.name),
                                 exchanged(one.name, second.name)));
      if (whole.name == gradient_name(one.name))
        all.push_back(changed_to(fmt::format("it is the gradient of {}", second.name),
                                 gradient_of(second.name), GraphRank::way_back));
    }
  }
}

}  // namespace gradproof::diagnosis
