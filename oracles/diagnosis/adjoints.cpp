// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/families.h"
#include "oracles/diagnosis/messages.h"

namespace gradproof::diagnosis {
namespace {

/// The explanations of one step, added with its rule.
class Rulebook {
 public:
  Rulebook(std::vector<Explanation>& all, const Script& script, std::size_t step)
      : all_(all), name_(step_words(script, step)), step_(step) {}

  const std::string& name() const { return name_; }

  template <class Edit>
  void add(const std::string& words, const Edit& edit) {
    Rules rules;
    rules.step.step = step_;
    edit(rules.step);
    all_.push_back(explained_by(words, rules));
  }

 private:
  std::vector<Explanation>& all_;
  std::string name_;
  std::size_t step_;
};

void add_norm(Rulebook book, const Scene& scene) {
  const bool moments = scene.channels() || scene.script.batch_statistics;
  if (!moments) {
    book.add("the mean terms of batch statistics are taken off in evaluation too",
             [](StepRule& r) { r.turned = true; });
    return;
  }
  const std::string g = scene.channels() ? "weight g" : "g";
  book.add(fmt::format("term missing: mean({})", g), [](StepRule& r) { r.mean = false; });
  book.add(fmt::format("term missing: proportional to xhat, xhat mean({} xhat)", g),
           [](StepRule& r) { r.projection = false; });
  book.add(
      fmt::format("terms missing: mean({0}) and xhat mean({0} xhat), as if the statistics were "
                  "constants",
                  g),
      [](StepRule& r) { r.turned = true; });
  book.add("weight is left out of the norm's adjoint", [](StepRule& r) { r.weights = 0; });
  book.add("weight is multiplied into the norm's adjoint twice",
           [](StepRule& r) { r.weights = 2; });
  if (scene.channels())
    book.add("weight is multiplied in behind the sums over the group, not in front of them",
             [](StepRule& r) { r.weight_outside = true; });
  book.add("rstd is left out of the norm's adjoint", [](StepRule& r) { r.rstds = 0; });
  book.add("rstd is multiplied into the norm's adjoint twice", [](StepRule& r) { r.rstds = 2; });
  book.add(fmt::format("the norm's means are divided by N-1 (N = {})", scene.unit_size()),
           [](StepRule& r) { r.one_less = true; });
  book.add("x stands for xhat in the norm's adjoint",
           [](StepRule& r) { r.raw = r.raw_sum = true; });
  book.add(fmt::format("x stands for xhat in mean({} xhat)", g),
           [](StepRule& r) { r.raw_sum = true; });
}

void add_swish(Rulebook book, const Script& script, std::size_t step) {
  const std::string slope = "the derivative of " + book.name();
  book.add(slope + " lacks its term z sigmoid(z) sigmoid(-z)",
           [](StepRule& r) { r.slope = Slope::sigmoid; });
  book.add(slope + " is left out", [](StepRule& r) { r.times = 0; });
  book.add(slope + " lacks its term sigmoid(z)", [](StepRule& r) { r.slope = Slope::product; });
  book.add(slope + " has z sigmoid(z) sigmoid(-z) with the wrong sign",
           [](StepRule& r) { r.slope = Slope::minus; });
  book.add(slope + " is multiplied in twice", [](StepRule& r) { r.times = 2; });
  const std::size_t input = script.lines[step].input;
  for (std::size_t node = 0; node <= script.lines.size(); ++node) {
    if (node == input) continue;
    book.add(fmt::format("{} is taken at {}, not at {}", slope, value_words(script, node),
                         value_words(script, input)),
             [node](StepRule& r) { r.slope_node = node; });
  }
}

/// The fault of a function that all Swishes share; told of the first of several.
void add_all_swishes(std::vector<Explanation>& all, const Script& script) {
  std::vector<std::size_t> steps;
  for (std::size_t step = 0; step < script.lines.size(); ++step)
    if (script.lines[step].kind == StageKind::swish) steps.push_back(step);
  if (steps.size() < 2) return;
  Rulebook book(all, script, steps.front());
  const auto add = [&](const std::string& words, Slope slope, int times) {
    book.add("the derivative of each Swish " + words, [&](StepRule& r) {
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

void add_scale(Rulebook book, const Scene& scene, std::size_t step) {
  const auto slot = static_cast<std::size_t>(scene.script.lines[step].numbers[0]);
  const std::string& name = scene.script.numbers[slot].name;
  book.add(fmt::format("{} is left out on the way back", name), [](StepRule& r) { r.times = 0; });
  book.add(fmt::format("{} is multiplied in twice on the way back", name),
           [](StepRule& r) { r.times = 2; });
}

void add_divide(Rulebook book, double d) {
  const std::string value = fmt::format("(d = {})", d);
  book.add("1/d is missing on the way back " + value, [](StepRule& r) { r.times = 0; });
  book.add("divided by d twice on the way back " + value, [](StepRule& r) { r.times = 2; });
}

}  // namespace

Explanation explained_by(std::string words, Rules rules) {
  return {std::move(words), [rules = std::move(rules)](const Evidence& e) {
            return prediction_of(e, predict(e, rules));
          }};
}

std::vector<Explanation> changed_adjoints(const Evidence& evidence) {
  const Scene& scene = evidence.scene;
  const Script& script = scene.script;
  std::vector<Explanation> all;
  for (std::size_t step = 0; step < script.lines.size(); ++step) {
    const Rulebook book(all, script, step);
    switch (script.lines[step].kind) {
      case StageKind::batch_norm:
      case StageKind::group_norm:
        add_norm(book, scene);
        break;
      case StageKind::swish:
        add_swish(book, script, step);
        break;
      case StageKind::scale:
        add_scale(book, scene, step);
        break;
      case StageKind::divide:
        add_divide(book, script.lines[step].scalars[0]);
        break;
      case StageKind::bias:
        break;
    }
  }
  add_all_swishes(all, script);
  for (std::size_t step = script.lines.size(); step-- > 0;) {
    if (script.lines[step].kind == StageKind::bias) continue;  // multiplies nothing
    Rulebook(all, script, step)
        .add(fmt::format("{} is multiplied in twice, in {}", cotangent_words(script, step + 1),
                         step_words(script, step)),
             [](StepRule& r) { r.squared = true; });
  }
  return all;
}

}  // namespace gradproof::diagnosis
