// SPDX-License-Identifier: Apache-2.0
// These hypotheses multiply the truth by a number, or by one for each number of a tensor.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/graph/name_rules.h"
#include "core/graph/stages.h"
#include "oracles/diagnosis/edited_graph.h"
#include "oracles/diagnosis/hypotheses.h"
#include "oracles/diagnosis/lines.h"

namespace gradproof::diagnosis {
namespace {

PredictedEntry scaled(const ComparedEntry& entry, LongDouble factor, double unit) {
  const LongDouble value = factor * entry.truth;
  const double size = static_cast<double>(std::fabs(value));
  return {value, static_cast<double>(std::fabs(factor)) * entry.bound + unit * size};
}

void add_factor(const WrongTensor& whole, std::string text, LongDouble factor, Rank rank,
                Hypotheses& all) {
  if (factor == 1 || !std::isfinite(factor)) return;
  all.push_back(predicted_each(
      std::move(text), rank,
      [factor, unit = whole.unit()](const ComparedEntry& e) { return scaled(e, factor, unit); }));
}

/// The axes that a step reduces, and those over which a gradient or a norm on the way sums.
std::set<std::string> summed_axes(const WrongTensor& whole) {
  const Graph& graph = whole.claim.graph;
  std::set<std::string> all;
  for (const GraphStep& step : graph.steps) {
    const GraphStage& stage = graph_stage(step.stage);
    if (stage.form == StageForm::reduces || (stage.is_norm() && whole.is_gradient()))
      all.insert(step.axes.begin(), step.axes.end());
  }
  if (!whole.is_gradient()) return all;
  const std::vector<std::string> own = whole.axes();
  for (const std::string& output : graph.outputs)
    for (const std::string& axis : graph.axes_of(output))
      if (!has_name(own, axis)) all.insert(axis);
  return all;
}

/// A divisor by which a gradient is divided once too often, or not at all, and the same of a
/// factor.
void add_numbers_of(const WrongTensor& whole, std::size_t step, Hypotheses& all) {
  const Graph& graph = whole.claim.graph;
  const GraphStep& s = graph.steps[step];
  const GraphStage& stage = graph_stage(s.stage);
  const bool divides = s.stage == "divide";
  if (!divides && !stage.is_factor()) return;
  const std::string name = stage_text(graph, step);
  for (const GraphOperand& operand : s.operands) {
    if (!operand.is_number()) continue;
    const LongDouble n = operand.number;
    add_factor(whole, fmt::format("the number of {}, {:.9g}, is left out", name, operand.number),
               divides ? n : 1 / n, Rank::factor, all);
    add_factor(
        whole,
        fmt::format("the number of {}, {:.9g}, comes in once too often", name, operand.number),
        divides ? 1 / n : n, Rank::factor, all);
    add_factor(whole,
               fmt::format("{} by the number of {}, {:.9g}, where it is {} by it",
                           divides ? "multiplied" : "divided", name, operand.number,
                           divides ? "divided" : "multiplied"),
               divides ? n * n : 1 / (n * n), Rank::factor, all);
  }
}

void add_eps_of(const WrongTensor& whole, std::size_t step, Hypotheses& all) {
  const GraphStep& s = whole.claim.graph.steps[step];
  if (!graph_stage(s.stage).is_norm() || s.number("eps") == 0) return;
  const std::string name = stage_text(whole.claim.graph, step);
  const double eps = s.number("eps");
  add_factor(whole, fmt::format("the eps of {}, {:.9g}, is left out", name, eps),
             1 / LongDouble(eps), Rank::factor, all);
  add_factor(whole, fmt::format("the eps of {}, {:.9g}, comes in once too often", name, eps), eps,
             Rank::factor, all);
}

/// Adds factors of n - 1 in place of n, and their roots.
void add_one_less(const WrongTensor& whole, std::int64_t count, Hypotheses& all) {
  if (count < 2) return;
  const auto n = static_cast<LongDouble>(count);
  const LongDouble share = (n - 1) / n;
  const std::array<std::pair<const char*, LongDouble>, 4> factors{
      {{"N/(N-1)", 1 / share},
       {"(N-1)/N", share},
       {"sqrt((N-1)/N)", std::sqrt(share)},
       {"sqrt(N/(N-1))", 1 / std::sqrt(share)}}};
  for (const auto& [text, factor] : factors)
    add_factor(whole, fmt::format("off by {}, N = {}", text, count), factor, Rank::factor, all);
}

/// Predicts the truth times, or over, one number of a tensor for each entry.
void add_tensor_factors(const std::string& name, const Reals& numbers,
                        const std::vector<std::int64_t>& places, double unit, Hypotheses& all) {
  const auto add = [&](std::string text, bool over) {
    all.push_back(predicted(
        std::move(text), Rank::factor, [numbers, places, unit, over](const WrongTensor& asked) {
          std::optional<Prediction> predicted;
          if (asked.entries.size() != places.size()) return predicted;
          predicted.emplace();
          for (std::size_t i = 0; i < places.size(); ++i) {
            const LongDouble number = numbers[static_cast<std::size_t>(places[i])];
            predicted->push_back(scaled(asked.entries[i], over ? 1 / number : number, unit));
          }
          return predicted;
        }));
    all.back().of_whole = true;
  };
  add(name + " is multiplied in once too often", false);
  add(name + " is left out as a factor", true);
}

}  // namespace

void add_factors(const WrongTensor& whole, Hypotheses& all) {
  add_factor(whole, "missing altogether: 0", 0, Rank::factor, all);
  add_factor(whole, "its sign is turned", -1, Rank::factor, all);
  add_factor(whole, "it is doubled", 2, Rank::factor, all);
  add_factor(whole, "it is halved", LongDouble(1) / 2, Rank::factor, all);
  if (!whole.is_gradient()) return;
  for (std::size_t step = 0; step < whole.claim.graph.steps.size(); ++step) {
    add_numbers_of(whole, step, all);
    add_eps_of(whole, step, all);
  }
  for (const GraphTensor& tensor : whole.claim.graph.tensors) {
    const auto found = whole.inputs.find(tensor.name);
    if (found == whole.inputs.end() || found->second.dtype() == DType::i64) continue;
    const std::vector<std::int64_t> places = places_of(whole, tensor.name);
    Reals numbers;
    for (std::int64_t i = 0; i < found->second.numel(); ++i) numbers.push_back(found->second.at(i));
    if (!places.empty()) add_tensor_factors(tensor.name, numbers, places, whole.unit(), all);
  }
  if (whole.nodes == nullptr || whole.nodes->rstd.empty()) return;
  const std::vector<std::string> own = whole.axes();
  const std::vector<std::string>& axes = whole.nodes->rstd_axes;
  if (std::ranges::all_of(axes, [&](const std::string& axis) { return has_name(own, axis); }))
    add_tensor_factors("rstd", whole.nodes->rstd, places_between(whole.claim.extents, own, axes),
                       whole.unit(), all);
}

void add_counts(const WrongTensor& whole, Hypotheses& all) {
  const Rank rank = whole.is_gradient() ? Rank::factor : Rank::change;
  std::set<std::int64_t> counts;
  for (const std::string& axis : summed_axes(whole)) {
    const std::int64_t extent = whole.claim.extents.at(axis);
    if (extent < 2) continue;
    counts.insert(extent);
    const auto numbers = static_cast<LongDouble>(extent);
    add_factor(whole, fmt::format("it is divided by {}, the numbers along {}", extent, axis),
               1 / numbers, rank, all);
    add_factor(whole, fmt::format("it is multiplied by {}, the numbers along {}", extent, axis),
               numbers, rank, all);
  }
  if (!whole.is_gradient()) return;
  for (const std::int64_t count : counts) add_one_less(whole, count, all);
}

}  // namespace gradproof::diagnosis
