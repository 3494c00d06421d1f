// SPDX-License-Identifier: Apache-2.0
#include "oracles/audit/diagnosis_replay.h"

namespace gradproof::diagnosis {
namespace {

const Matrix* number_of(const Scene& scene, const Line& line, std::size_t place) {
  const int slot = line.numbers[place];
  return slot == Line::kAbsent ? nullptr : &scene.numbers[static_cast<std::size_t>(slot)];
}

Weighed slope_of(const Weighed& z, const Logistic& l, Slope slope) {
  const Weighed product = z * l.complement;
  switch (slope) {
    case Slope::sigmoid:
      return l.sigmoid;
    case Slope::product:
      return l.sigmoid * product;
    case Slope::minus:
      return l.sigmoid * (exact(1) - product);
    case Slope::right:
      break;
  }
  return l.sigmoid * (exact(1) + product);
}

Matrix through_swish(const Scene& scene, std::size_t step, const StepRule& rule,
                     const Matrix& cotangent) {
  const bool moved = rule.slope_node != kNone;
  const Matrix& z =
      scene.made->values[moved ? rule.slope_node : scene.value_script.lines[step].input];
  const std::vector<Logistic>& known = scene.made->logistics[step];
  Matrix out(cotangent.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Logistic l = moved || known.empty() ? logistic_of(z[i], scene.float_exp) : known[i];
    out[i] = cotangent[i] * slope_of(z[i], l, rule.slope);
  }
  return out;
}

struct Sums {
  Matrix first;
  Matrix second;
};

/// S1/N and S2/N of each unit.
Sums means_of(const Scene& scene, const StepRule& rule, const Matrix& h, const Matrix& second) {
  Sums sums{Matrix(static_cast<std::size_t>(scene.units())),
            Matrix(static_cast<std::size_t>(scene.units()))};
  const auto add = [](Weighed& sum, const Weighed& term) {
    sum.value += term.value;
    sum.error += term.error + size_of(term);
  };
  const std::int64_t cols = scene.cols();
  for (std::size_t i = 0; i < h.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    const auto unit = static_cast<std::size_t>(scene.unit_of(index / cols, index % cols));
    add(sums.first[unit], h[i]);
    add(sums.second[unit], h[i] * second[i]);
  }
  const auto n = static_cast<Wide>(scene.unit_size() - (rule.one_less ? 1 : 0));
  for (Weighed& sum : sums.first) sum = sum / n;
  for (Weighed& sum : sums.second) sum = sum / n;
  return sums;
}

Matrix through_norm(const Scene& scene, const Line& line, const StepRule& rule,
                    const Matrix& cotangent) {
  const Matrix* weight = number_of(scene, line, 0);
  const auto col = [&](std::size_t i) { return i % scene.columns.size(); };
  Matrix h = cotangent;
  if (weight != nullptr && !rule.weight_outside)
    for (std::size_t i = 0; i < h.size(); ++i)
      for (int k = 0; k < rule.weights; ++k) h[i] = h[i] * (*weight)[col(i)];
  const bool moments = (scene.channels() || scene.script.batch_statistics) != rule.turned;
  const Matrix& raw = scene.made->values[line.input];
  const Matrix& second = rule.raw ? raw : scene.made->xhat;
  const Sums means =
      moments ? means_of(scene, rule, h, rule.raw_sum ? raw : scene.made->xhat) : Sums{};
  for (std::size_t i = 0; i < h.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    const auto unit =
        static_cast<std::size_t>(scene.unit_of(index / scene.cols(), index % scene.cols()));
    if (moments && rule.mean) h[i] = h[i] - means.first[unit];
    if (moments && rule.projection) h[i] = h[i] - second[i] * means.second[unit];
    for (int k = 0; k < rule.rstds; ++k) h[i] = h[i] * scene.rstd[unit];
    if (weight != nullptr && rule.weight_outside) h[i] = h[i] * (*weight)[col(i)];
  }
  return h;
}

Matrix pulled(const Scene& scene, std::size_t step, const StepRule& rule, const Matrix& in) {
  const Line& line = scene.script.lines[step];
  Matrix out = in;
  switch (line.kind) {
    case StageKind::bias:
      return out;
    case StageKind::scale:
      for (std::size_t i = 0; i < in.size(); ++i)
        out[i] = in[i] * (*number_of(scene, line, 0))[i % scene.columns.size()];
      return out;
    case StageKind::divide:
      for (Weighed& value : out) value = value / line.scalars[0];
      return out;
    case StageKind::swish:
      return through_swish(scene, step, rule, in);
    case StageKind::batch_norm:
    case StageKind::group_norm:
      return through_norm(scene, line, rule, in);
  }
  return out;
}

bool concerns(const StepRule& rule, const Script& script, std::size_t step) {
  if (rule.step == step) return true;
  return rule.alike && script.lines[rule.step].kind == script.lines[step].kind;
}

Weighed second_factor(const Scene& scene, const TermRule& rule, const Use& use, std::size_t i) {
  const Line& line = scene.script.lines[use.step];
  const bool norm = line.kind == StageKind::batch_norm || line.kind == StageKind::group_norm;
  switch (rule.second) {
    case Second::one:
      return exact(1);
    case Second::node:
      return scene.made->values[rule.node][i];
    case Second::xhat:
      return scene.made->xhat[i];
    case Second::centered:
      return scene.made->centered[i];
    case Second::usual:
      break;
  }
  if (norm && use.place == 0) return scene.made->xhat[i];
  return line.kind == StageKind::scale ? scene.made->values[line.input][i] : exact(1);
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

std::vector<Matrix> cotangents_of(const Scene& scene, const Rules& rules) {
  std::vector<Matrix> all(scene.script.lines.size() + 1);
  all.back() = scene.dy;
  for (std::size_t k = scene.script.lines.size(); k-- > 0;) {
    if (all[k + 1].empty()) continue;
    const StepRule rule = concerns(rules.step, scene.script, k) ? rules.step : StepRule{};
    Matrix in = rule.times > 0 ? pulled(scene, k, rule, all[k + 1]) : all[k + 1];
    for (int time = 1; time < rule.times; ++time) in = pulled(scene, k, rule, in);
    if (rule.squared)
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = in[i] * all[k + 1][i];
    Matrix& into = all[scene.script.lines[k].input];
    if (into.empty()) {
      into = std::move(in);
      continue;
    }
    for (std::size_t i = 0; i < in.size(); ++i) into[i] = into[i] + in[i];
  }
  return all;
}

Matrix terms_of_parameter(const Scene& scene, const Rules& rules, const Target& target,
                          const std::vector<Matrix>& cotangents) {
  const std::optional<Use> use = use_of(scene.script, target);
  if (!use) return {};
  const TermRule& rule = rules.term;
  const bool without = rule.changed && rule.cotangent == kNone;
  const Matrix& g = cotangents[rule.changed && !without ? rule.cotangent : use->step + 1];
  Matrix terms(g.size());
  for (std::size_t i = 0; i < g.size(); ++i)
    terms[i] = (without ? exact(1) : g[i]) * second_factor(scene, rule, *use, i);
  return terms;
}

namespace {

/// The sums over the rules' rows and columns.
Matrix summed(const Scene& scene, const Rules& rules, const Target& target, const Matrix& terms) {
  const std::size_t cols = scene.columns.size();
  Matrix sums(target.shared ? 1 : cols);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::size_t col = i % cols;
    if (!rules.rows.has(static_cast<std::int64_t>(i / cols))) continue;
    if (!rules.cols.has(scene.columns[col])) continue;
    Weighed& sum = sums[target.shared ? 0 : col];
    sum.value += terms[i].value;
    sum.error += terms[i].error + size_of(terms[i]);
  }
  return sums;
}

}  // namespace

Matrix predict(const Scene& scene, const Rules& rules, const Target& target) {
  if (rules.prepare) {
    Scene changed = scene;
    rules.prepare(changed);
    fill_values(changed);
    Rules rest = rules;
    rest.prepare = nullptr;
    return predict(changed, rest, target);
  }
  const bool known = rules.step.step == kNone && !scene.made->cotangents.empty();
  if (known && target.matrix) return scene.made->cotangents.front();
  if (known)
    return summed(scene, rules, target,
                  terms_of_parameter(scene, rules, target, scene.made->cotangents));
  std::vector<Matrix> cotangents = cotangents_of(scene, rules);
  if (target.matrix) return std::move(cotangents.front());
  return summed(scene, rules, target, terms_of_parameter(scene, rules, target, cotangents));
}

}  // namespace gradproof::diagnosis
