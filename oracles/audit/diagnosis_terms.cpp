// SPDX-License-Identifier: Apache-2.0
#include "oracles/audit/diagnosis_replay.h"

namespace gradproof::diagnosis {
namespace {

/// What the cotangent is multiplied with; nullptr: 1.
const Matrix* second_factor(const Scene& scene, const TermRule& rule, const Use& use) {
  const Line& line = scene.script.lines[use.step];
  const bool norm = line.kind == StageKind::batch_norm || line.kind == StageKind::group_norm;
  switch (rule.second) {
    case Second::one:
      return nullptr;
    case Second::node:
      return scene.made->values[rule.node].get();
    case Second::xhat:
      return scene.made->xhat.get();
    case Second::centered:
      return scene.made->centered.get();
    case Second::usual:
      break;
  }
  if (norm && use.place == 0) return scene.made->xhat.get();
  return line.kind == StageKind::scale ? scene.made->values[line.input].get() : nullptr;
}

}  // namespace

Target target_of(const Question& question) {
  const TensorSpec& spec = question.claim.tensor(question.gradient);
  if (question.claim.is_matrix(spec)) return {true, false, 0};
  const Script script(question.claim);
  const std::size_t slot = script.number(question.gradient.substr(2));
  return {false, script.numbers[slot].shared, slot};
}

std::optional<Use> use_of(const Script& script, const Target& target) {
  if (target.matrix) return std::nullopt;
  for (std::size_t k = 0; k < script.lines.size(); ++k)
    for (std::size_t place = 0; place < 2; ++place)
      if (script.lines[k].numbers[place] == static_cast<int>(target.slot)) return Use{k, place};
  return std::nullopt;
}

std::size_t node_of(const Scene& scene, const Rules& rules, const Target& target) {
  if (target.matrix) return 0;
  if (rules.term.changed) return rules.term.cotangent;
  const std::optional<Use> use = use_of(scene.script, target);
  return use ? use->step + 1 : kNone;
}

Terms terms_of_parameter(const Scene& scene, const Rules& rules, const Target& target,
                         const std::vector<Shared>& cotangents) {
  const std::optional<Use> use = use_of(scene.script, target);
  const Matrix* second = use ? second_factor(scene, rules.term, *use) : nullptr;
  const std::size_t node = node_of(scene, rules, target);
  return {node == kNone ? nullptr : cotangents[node], second};
}

namespace {

/// The sums over the rules' rows and columns.
Matrix summed(const Scene& scene, const Rules& rules, const Target& target, const Terms& term) {
  Matrix sums(target.shared ? 1 : static_cast<std::size_t>(scene.cols()));
  std::vector<bool> taken;
  for (const std::int64_t col : scene.part.columns) taken.push_back(rules.cols.has(col));
  for (std::int64_t row = 0; row < scene.rows(); ++row) {
    if (!rules.rows.has(scene.part.rows[static_cast<std::size_t>(row)])) continue;
    for (std::int64_t col = 0; col < scene.cols(); ++col) {
      if (!taken[static_cast<std::size_t>(col)]) continue;
      const Weighed number = term(static_cast<std::size_t>(row * scene.cols() + col));
      Weighed& sum = sums[target.shared ? 0 : static_cast<std::size_t>(col)];
      sum.value += number.value;
      sum.error += number.error + size_of(number);
    }
  }
  return sums;
}

/// The gradient in a scene whose values are made; `before` has the right cotangents.
Matrix replayed(const Scene& scene, const Rules& rules, const Target& target, const Scene* before) {
  const std::size_t node = node_of(scene, rules, target);
  std::vector<Shared> cotangents;
  if (node != kNone) cotangents = cotangents_of(scene, rules, node, before);
  if (target.matrix) return *cotangents.front();
  return summed(scene, rules, target, terms_of_parameter(scene, rules, target, cotangents));
}

}  // namespace

Matrix predict(const Scene& scene, const Rules& rules, const Target& target) {
  const Scene* before = scene.made->cotangents.empty() ? nullptr : &scene;
  if (!rules.prepare) return replayed(scene, rules, target, before);
  Scene changed = scene;
  rules.prepare(changed);
  fill_values(changed, &scene);
  return replayed(changed, rules, target, before);
}

}  // namespace gradproof::diagnosis
