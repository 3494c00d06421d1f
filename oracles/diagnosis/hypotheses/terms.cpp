// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/replay.h"

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

namespace {

/// Of a column, less their mean.
Matrix deviations(const Scene& scene, const Matrix& values) {
  Matrix means(static_cast<std::size_t>(scene.cols()));
  for_each_element(scene, [&](std::size_t i, std::int64_t, std::int64_t col) {
    Weighed& mean = means[static_cast<std::size_t>(col)];
    mean.value += values[i].value;
    mean.error += values[i].error + size_of(values[i]);
  });
  for (Weighed& mean : means) mean = mean / static_cast<Wide>(scene.rows());
  Matrix all = values;
  for_each_element(scene, [&](std::size_t i, std::int64_t, std::int64_t col) {
    const Weighed& mean = means[static_cast<std::size_t>(col)];
    all[i] = rounded(values[i].value - mean.value, values[i].error);  // the mean's error cancels
  });
  return all;
}

/// Of a scale in closed form: weight rstd^3 eps (g - S1/N) (v - mean v), v what the scale takes.
Matrix closed_terms(const Scene& scene, const Line& norm, const Matrix& g, const Matrix& v) {
  Matrix terms = deviations(scene, g);
  const Matrix second = deviations(scene, v);
  for_each_element(scene, [&](std::size_t i, std::int64_t, std::int64_t col) {
    const auto unit = static_cast<std::size_t>(col);
    const Weighed& rstd = scene.rstd[unit];
    Weighed factor = rstd;
    if (norm.numbers[0] != Line::kAbsent)
      factor = factor * scene.numbers[static_cast<std::size_t>(norm.numbers[0])][unit];
    terms[i] = factor * (terms[i] * second[i]) * (rstd * exact(scene.eps()) * rstd);
  });
  return terms;
}

/// Whether the rules leave a scale's gradient to the norm behind it, in closed form.
bool is_closed(const Scene& scene, const Rules& rules, const Use& use) {
  if (!scene.script.lines[use.step].gradient_behind || rules.term.changed) return false;
  return rules.step.step == kNone || rules.step.step > scene.script.norm;
}

}  // namespace

Terms terms_of_parameter(const Scene& scene, const Rules& rules, const Target& target,
                         const std::vector<Shared>& cotangents) {
  const std::optional<Use> use = use_of(scene.script, target);
  if (use && is_closed(scene, rules, *use)) {
    const std::size_t norm = scene.script.norm;
    const Matrix& v = *scene.made->values[scene.script.lines[use->step].input];
    return {shared(closed_terms(scene, scene.script.lines[norm], *cotangents[norm + 1], v)),
            nullptr};
  }
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
