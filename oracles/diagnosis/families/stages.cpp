// SPDX-License-Identifier: Apache-2.0
// These hypotheses change stages: another number, another stage, another order.
#include "core/graph/stages.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "oracles/diagnosis/edited_graph.h"
#include "oracles/diagnosis/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

/// The values of eps that libraries have as their defaults.
constexpr std::array kUsualEps{0.0, 1e-12, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2};

/// The numbers that people write by mistake in place of a number.
std::vector<double> near(double number) {
  std::vector<double> all{-number, 1 / number, 2 * number, number / 2, number * number, 1, 0};
  if (number > 0) all.push_back(std::sqrt(number));
  std::erase_if(all, [&](double other) { return !std::isfinite(other) || other == number; });
  return all;
}

/// The pairs of stages that are taken for one another.
constexpr std::array<std::array<std::string_view, 2>, 12> kAlike{{
    {"gelu", "silu"},
    {"relu", "gelu"},
    {"relu", "silu"},
    {"sigmoid", "tanh"},
    {"sigmoid", "silu"},
    {"softplus", "silu"},
    {"exp", "sigmoid"},
    {"swiglu", "geglu"},
    {"sum", "mean"},
    {"add", "subtract"},
    {"multiply", "divide"},
    {"softmax", "log_softmax"},
}};

/// True if the value has the axes of the step's first operand.
bool keeps_axes(const Graph& graph, const GraphStep& s) {
  return !s.operands.front().is_number() && graph.axes_of(s.operands.front().name) == s.value_axes;
}

void add_option(const Graph& graph, std::size_t step, const StageOption& option, Hypotheses& all) {
  const GraphStep& s = graph.steps[step];
  const std::string key(option.key);
  const auto add = [&](const std::string& text, std::string value) {
    Graph edited = graph;
    edited.steps[step].options[key] = std::move(value);
    all.push_back(changed_graph(text, std::move(edited)));
  };
  if (!option.words.empty()) {
    for (const std::string_view word : option.words)
      if (word != s.word(key))
        add(fmt::format("{} of {} is {}, not {}", key, stage_text(graph, step), word, s.word(key)),
            std::string(word));
    return;
  }
  const double now = s.number(key);
  std::vector<double> others;
  if (key == "eps")
    others.assign(kUsualEps.begin(), kUsualEps.end());
  else if (key == "correction")
    others = {1 - now};
  else if (key == "momentum")
    others = {1 - now, 2 * now, now / 2};
  else if (key == "groups")
    others = {1, 2, 4, 8, 16, 32, 2 * now, now / 2};
  else if (!option.whole)
    others = near(now);
  for (const double other : others)
    if (other != now && other >= option.minimum)
      add(fmt::format("{} of {} is {}, not {}", key, stage_text(graph, step), other, now),
          fmt::format("{}", other));
}

void add_operand(const Graph& graph, std::size_t step, std::size_t place, Hypotheses& all) {
  const double now = graph.steps[step].operands[place].number;
  for (const double other : near(now)) {
    Graph edited = graph;
    edited.steps[step].operands[place].number = other;
    all.push_back(changed_graph(
        fmt::format("the number of {} is {:.6g}, not {:.6g}", stage_text(graph, step), other, now),
        std::move(edited)));
  }
}

/// Adds the hypothesis that the stage named `word` takes the place of the step's.
void add_stage(const Graph& graph, std::size_t step, std::string_view word, Hypotheses& all) {
  Graph edited = graph;
  edited.steps[step].stage = word;
  edited.steps[step].options.clear();
  all.push_back(changed_graph(
      fmt::format("{} stands in place of {}", word, stage_text(graph, step)), std::move(edited)));
}

/// Adds the hypothesis that the step returns its first operand.
void add_left_out(const Graph& graph, std::size_t step, Hypotheses& all) {
  const GraphStage& stage = graph_stage(graph.steps[step].stage);
  // add_tensors() and add_numbers() leave out the operands after the first one.
  const bool is_alone = graph.steps[step].operands.size() == 1 || stage.is_norm();
  if (!is_alone || !keeps_axes(graph, graph.steps[step])) return;
  Graph edited = graph;
  GraphStep& s = edited.steps[step];
  s = GraphStep{.value = s.value,
                .stage = "add",
                .operands = {s.operands.front(), {"", 0}},
                .axes = {},
                .options = {},
                .value_axes = s.value_axes};
  all.push_back(
      changed_graph(stage_text(graph, step) + " is left out", without_unused(std::move(edited))));
}

/// Adds the hypothesis that the step and the next one are in the other order.
void add_order(const Graph& graph, std::size_t step, Hypotheses& all) {
  if (step + 1 == graph.steps.size()) return;
  const GraphStep &first = graph.steps[step], &second = graph.steps[step + 1];
  const auto users =
      std::ranges::count_if(graph.steps, [&](const GraphStep& s) { return s.takes(first.value); });
  if (second.operands.front().name != first.value || users != 1 ||
      has_name(graph.outputs, first.value) || !keeps_axes(graph, first) ||
      !keeps_axes(graph, second) || !first.call.empty() || !second.call.empty() ||
      std::ranges::count(second.operands, first.value, &GraphOperand::name) != 1)
    return;
  Graph edited = graph;
  GraphStep &before = edited.steps[step], &behind = edited.steps[step + 1];
  std::swap(before, behind);
  std::swap(before.value, behind.value);
  std::swap(before.operands.front(), behind.operands.front());
  all.push_back(changed_graph(fmt::format("{} stands in front of {}, not behind it",
                                          stage_text(graph, step + 1), stage_text(graph, step)),
                              std::move(edited)));
}

/// Adds hypotheses of other axes for a stage that has no parameter along its axis.
void add_axes(const Graph& graph, std::size_t step, Hypotheses& all) {
  const GraphStep& s = graph.steps[step];
  if (graph_stage(s.stage).form != StageForm::normalises || s.operands.size() != 1 ||
      s.axes.size() != 1 || !s.options.empty())
    return;
  for (const std::string& axis : s.value_axes) {
    if (axis == s.axes.front()) continue;
    Graph edited = graph;
    edited.steps[step].axes = {axis};
    edited.steps[step].axes_said = true;
    all.push_back(changed_graph(
        fmt::format("{} goes over {}, not over {}", stage_text(graph, step), axis, s.axes.front()),
        std::move(edited)));
    all.back().of_whole = true;
  }
}

}  // namespace

void add_numbers(const WrongTensor& whole, Hypotheses& all) {
  const Graph& graph = whole.claim.graph;
  for (std::size_t step = 0; step < graph.steps.size(); ++step) {
    const GraphStep& s = graph.steps[step];
    for (std::size_t place = 0; place < s.operands.size(); ++place)
      if (s.operands[place].is_number()) add_operand(graph, step, place, all);
    for (const StageOption& option : graph_stage(s.stage).options)
      add_option(graph, step, option, all);
  }
}

void add_stages(const WrongTensor& whole, Hypotheses& all) {
  const Graph& graph = whole.claim.graph;
  for (std::size_t step = 0; step < graph.steps.size(); ++step) {
    const std::string& stage = graph.steps[step].stage;
    for (const auto& [one, other] : kAlike) {
      if (stage == one) add_stage(graph, step, other, all);
      if (stage == other) add_stage(graph, step, one, all);
    }
    add_left_out(graph, step, all);
    add_order(graph, step, all);
    add_axes(graph, step, all);
  }
}

}  // namespace gradproof::diagnosis
