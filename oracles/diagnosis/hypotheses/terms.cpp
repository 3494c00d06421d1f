// SPDX-License-Identifier: Apache-2.0
#include "core/claim/stage_traits.h"
#include "oracles/diagnosis/replay.h"

namespace gradproof::diagnosis {
namespace {

/// What the cotangent is multiplied with; nullptr: 1.
const Matrix* second_factor(const ReplayedPipeline& replayed, const TermRule& rule,
                            const Use& use) {
  const CompiledStep& line = replayed.compiled.lines[use.step];
  const bool norm = traits_of(line.kind).is_norm();
  switch (rule.second) {
    case Second::one:
      return nullptr;
    case Second::node:
      return replayed.computed->values[rule.node].get();
    case Second::xhat:
      return replayed.computed->xhat.get();
    case Second::centered:
      return replayed.computed->centered.get();
    case Second::usual:
      break;
  }
  if (norm && use.place == 0) return replayed.computed->xhat.get();
  return line.kind == StageKind::scale ? replayed.computed->values[line.input].get() : nullptr;
}

}  // namespace

Target target_of(const Question& question) {
  const TensorSpec& spec = question.claim.tensor(question.gradient);
  if (question.claim.is_matrix(spec)) return {true, false, 0};
  const CompiledPipeline compiled(question.claim);
  const std::size_t slot = compiled.number(question.gradient.substr(2));
  return {false, compiled.numbers[slot].shared, slot};
}

std::optional<Use> use_of(const CompiledPipeline& compiled, const Target& target) {
  if (target.matrix) return std::nullopt;
  for (std::size_t k = 0; k < compiled.lines.size(); ++k)
    for (std::size_t place = 0; place < 2; ++place)
      if (compiled.lines[k].numbers[place] == static_cast<int>(target.slot)) return Use{k, place};
  return std::nullopt;
}

std::size_t node_of(const ReplayedPipeline& replayed, const Rules& rules, const Target& target) {
  if (target.matrix) return 0;
  if (rules.term.changed) return rules.term.cotangent;
  const std::optional<Use> use = use_of(replayed.compiled, target);
  return use ? use->step + 1 : kNone;
}

namespace {

/// The values less the mean of their column.
Matrix deviations(const ReplayedPipeline& replayed, const Matrix& values) {
  Matrix means(static_cast<std::size_t>(replayed.cols()));
  for_each_element(replayed, [&](std::size_t i, std::int64_t, std::int64_t col) {
    TrackedReal& mean = means[static_cast<std::size_t>(col)];
    mean.value += values[i].value;
    mean.error += values[i].error + size_of(values[i]);
  });
  for (TrackedReal& mean : means) mean = mean / static_cast<LongDouble>(replayed.rows());
  Matrix all = values;
  for_each_element(replayed, [&](std::size_t i, std::int64_t, std::int64_t col) {
    const TrackedReal& mean = means[static_cast<std::size_t>(col)];
    all[i] = rounded(values[i].value - mean.value, values[i].error);  // the mean's error cancels
  });
  return all;
}

/// The terms of a scale's gradient in closed form: weight rstd^3 eps (g - mean g) (v - mean v),
/// where g is the cotangent of the norm and v the input of the scale.
Matrix closed_terms(const ReplayedPipeline& replayed, const CompiledStep& norm, const Matrix& g,
                    const Matrix& v) {
  Matrix terms = deviations(replayed, g);
  const Matrix second = deviations(replayed, v);
  for_each_element(replayed, [&](std::size_t i, std::int64_t, std::int64_t col) {
    const auto unit = static_cast<std::size_t>(col);
    const TrackedReal& rstd = replayed.rstd[unit];
    TrackedReal factor = rstd;
    if (norm.numbers[0] != CompiledStep::kAbsent)
      factor = factor * replayed.numbers[static_cast<std::size_t>(norm.numbers[0])][unit];
    terms[i] = factor * (terms[i] * second[i]) * (rstd * exact(replayed.eps()) * rstd);
  });
  return terms;
}

/// Whether the gradient of a scale is computed in closed form from the norm behind it.
bool is_closed(const ReplayedPipeline& replayed, const Rules& rules, const Use& use) {
  if (!replayed.compiled.lines[use.step].gradient_behind || rules.term.changed) return false;
  return rules.step.step == kNone || rules.step.step > replayed.compiled.norm;
}

}  // namespace

Terms terms_of_parameter(const ReplayedPipeline& replayed, const Rules& rules, const Target& target,
                         const std::vector<Shared>& cotangents) {
  const std::optional<Use> use = use_of(replayed.compiled, target);
  if (use && is_closed(replayed, rules, *use)) {
    const std::size_t norm = replayed.compiled.norm;
    const Matrix& v = *replayed.computed->values[replayed.compiled.lines[use->step].input];
    return {shared(closed_terms(replayed, replayed.compiled.lines[norm], *cotangents[norm + 1], v)),
            nullptr};
  }
  const Matrix* second = use ? second_factor(replayed, rules.term, *use) : nullptr;
  const std::size_t node = node_of(replayed, rules, target);
  return {node == kNone ? nullptr : cotangents[node], second};
}

namespace {

/// Sums the terms over the rows and columns that the rules name.
Matrix summed(const ReplayedPipeline& replayed, const Rules& rules, const Target& target,
              const Terms& term) {
  Matrix sums(target.shared ? 1 : static_cast<std::size_t>(replayed.cols()));
  std::vector<bool> taken;
  for (const std::int64_t col : replayed.part.columns) taken.push_back(rules.cols.has(col));
  for (std::int64_t row = 0; row < replayed.rows(); ++row) {
    if (!rules.rows.has(replayed.part.rows[static_cast<std::size_t>(row)])) continue;
    for (std::int64_t col = 0; col < replayed.cols(); ++col) {
      if (!taken[static_cast<std::size_t>(col)]) continue;
      const TrackedReal number = term(static_cast<std::size_t>(row * replayed.cols() + col));
      TrackedReal& sum = sums[target.shared ? 0 : static_cast<std::size_t>(col)];
      sum.value += number.value;
      sum.error += number.error + size_of(number);
    }
  }
  return sums;
}

/// The gradient of a replayed pipeline that has its values; `before` has the right cotangents.
Matrix gradient_of(const ReplayedPipeline& replayed, const Rules& rules, const Target& target,
                   const ReplayedPipeline* before) {
  const std::size_t node = node_of(replayed, rules, target);
  std::vector<Shared> cotangents;
  if (node != kNone) cotangents = cotangents_of(replayed, rules, node, before);
  if (target.matrix) return *cotangents.front();
  return summed(replayed, rules, target, terms_of_parameter(replayed, rules, target, cotangents));
}

}  // namespace

Matrix predict(const ReplayedPipeline& replayed, const Rules& rules, const Target& target) {
  const ReplayedPipeline* before = replayed.computed->cotangents.empty() ? nullptr : &replayed;
  if (!rules.prepare) return gradient_of(replayed, rules, target, before);
  ReplayedPipeline changed = replayed;
  rules.prepare(changed);
  fill_values(changed, &replayed);
  return gradient_of(changed, rules, target, before);
}

}  // namespace gradproof::diagnosis
