// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/families.h"
#include "oracles/diagnosis/messages.h"

namespace gradproof::diagnosis {
namespace {

/// Adds explanations whose rule changes the adjoint of one step.
class HypothesisTable {
 public:
  HypothesisTable(std::vector<Explanation>& all, const CompiledPipeline& compiled, std::size_t step)
      : all_(all), name_(step_text(compiled, step)), step_(step) {}

  const std::string& name() const { return name_; }

  template <class Edit>
  void add(const std::string& text, const Edit& edit) {
    Rules rules;
    rules.step.step = step_;
    edit(rules.step);
    all_.push_back(explained_by(text, rules));
  }

 private:
  std::vector<Explanation>& all_;
  std::string name_;
  std::size_t step_;
};

void add_norm(HypothesisTable table, const ReplayedPipeline& replayed) {
  const bool moments = replayed.is_grouped() || replayed.compiled.batch_statistics;
  if (!moments) {
    table.add("the mean terms of batch statistics are taken off in evaluation too",
              [](StepRule& r) { r.turned = true; });
    return;
  }
  const std::string g = replayed.is_grouped() ? "weight g" : "g";
  table.add(fmt::format("term missing: mean({})", g), [](StepRule& r) { r.mean = false; });
  table.add(fmt::format("term missing: proportional to xhat, xhat mean({} xhat)", g),
            [](StepRule& r) { r.projection = false; });
  table.add(
      fmt::format("terms missing: mean({0}) and xhat mean({0} xhat), as if the statistics were "
                  "constants",
                  g),
      [](StepRule& r) { r.turned = true; });
  table.add("weight is left out of the norm's adjoint", [](StepRule& r) { r.weights = 0; });
  table.add("weight is multiplied into the norm's adjoint twice",
            [](StepRule& r) { r.weights = 2; });
  if (replayed.is_grouped())
    table.add("weight is multiplied in behind the sums over the group, not in front of them",
              [](StepRule& r) { r.weight_outside = true; });
  table.add("rstd is left out of the norm's adjoint", [](StepRule& r) { r.rstds = 0; });
  table.add("rstd is multiplied into the norm's adjoint twice", [](StepRule& r) { r.rstds = 2; });
  table.add(fmt::format("the norm's means are divided by N-1 (N = {})", replayed.unit_size()),
            [](StepRule& r) { r.one_less = true; });
  table.add("x stands for xhat in the norm's adjoint",
            [](StepRule& r) { r.raw = r.raw_sum = true; });
  table.add(fmt::format("x stands for xhat in mean({} xhat)", g),
            [](StepRule& r) { r.raw_sum = true; });
}

void add_swish(HypothesisTable table, const CompiledPipeline& compiled, std::size_t step) {
  const std::string slope = "the derivative of " + table.name();
  table.add(slope + " lacks its term z sigmoid(z) sigmoid(-z)",
            [](StepRule& r) { r.slope = Slope::sigmoid; });
  table.add(slope + " is left out", [](StepRule& r) { r.times = 0; });
  table.add(slope + " lacks its term sigmoid(z)", [](StepRule& r) { r.slope = Slope::product; });
  table.add(slope + " has z sigmoid(z) sigmoid(-z) with the wrong sign",
            [](StepRule& r) { r.slope = Slope::minus; });
  table.add(slope + " is multiplied in twice", [](StepRule& r) { r.times = 2; });
  const std::size_t input = compiled.lines[step].input;
  for (std::size_t node = 0; node <= compiled.lines.size(); ++node) {
    if (node == input) continue;
    table.add(fmt::format("{} is taken at {}, not at {}", slope, value_text(compiled, node),
                          value_text(compiled, input)),
              [node](StepRule& r) { r.slope_node = node; });
  }
}

/// The same fault in all Swishes, as in a function that they share; the rule names the first one.
void add_all_swishes(std::vector<Explanation>& all, const CompiledPipeline& compiled) {
  std::vector<std::size_t> steps;
  for (std::size_t step = 0; step < compiled.lines.size(); ++step)
    if (compiled.lines[step].kind == StageKind::swish) steps.push_back(step);
  if (steps.size() < 2) return;
  HypothesisTable table(all, compiled, steps.front());
  const auto add = [&](const std::string& text, Slope slope, int times) {
    table.add("the derivative of each Swish " + text, [&](StepRule& r) {
      r.alike = true;
      r.slope = slope;
      r.times = times;
    });
  };
  add("lacks its term z sigmoid(z) sigmoid(-z)", Slope::sigmoid, 1);
  add("is left out", Slope::right, 0);
  add("lacks its term sigmoid(z)", Slope::product, 1);
  add("has z sigmoid(z) sigmoid(-z) with the wrong sign", Slope::minus, 1);
}

void add_scale(HypothesisTable table, const ReplayedPipeline& replayed, std::size_t step) {
  const auto slot = static_cast<std::size_t>(replayed.compiled.lines[step].numbers[0]);
  const std::string& name = replayed.compiled.numbers[slot].name;
  table.add(fmt::format("{} is left out on the way back", name), [](StepRule& r) { r.times = 0; });
  table.add(fmt::format("{} is multiplied in twice on the way back", name),
            [](StepRule& r) { r.times = 2; });
}

void add_divide(HypothesisTable table, double d) {
  const std::string value = fmt::format("(d = {})", d);
  table.add("1/d is missing on the way back " + value, [](StepRule& r) { r.times = 0; });
  table.add("divided by d twice on the way back " + value, [](StepRule& r) { r.times = 2; });
}

}  // namespace

Explanation explained_by(std::string text, Rules rules) {
  return {std::move(text), [rules = std::move(rules)](const Observation& e) {
            return prediction_of(e, predict(e, rules));
          }};
}

std::vector<Explanation> changed_adjoints(const Observation& observation) {
  const ReplayedPipeline& replayed = observation.replayed;
  const CompiledPipeline& compiled = replayed.compiled;
  std::vector<Explanation> all;
  for (std::size_t step = 0; step < compiled.lines.size(); ++step) {
    const HypothesisTable table(all, compiled, step);
    switch (compiled.lines[step].kind) {
      case StageKind::batch_norm:
      case StageKind::group_norm:
        add_norm(table, replayed);
        break;
      case StageKind::swish:
        add_swish(table, compiled, step);
        break;
      case StageKind::scale:
        add_scale(table, replayed, step);
        break;
      case StageKind::divide:
        add_divide(table, compiled.lines[step].scalars[0]);
        break;
      default:  // a Bias passes its cotangent on
        break;
    }
  }
  add_all_swishes(all, compiled);
  for (std::size_t step = compiled.lines.size(); step-- > 0;) {
    if (compiled.lines[step].kind == StageKind::bias) continue;  // multiplies nothing
    HypothesisTable(all, compiled, step)
        .add(fmt::format("{} is multiplied in twice, in {}", cotangent_text(compiled, step + 1),
                         step_text(compiled, step)),
             [](StepRule& r) { r.squared = true; });
  }
  return all;
}

}  // namespace gradproof::diagnosis
