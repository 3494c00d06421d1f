// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/replay.h"

#include <algorithm>

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
      *scene.made->values[moved ? rule.slope_node : scene.value_script.lines[step].input];
  const Logistics& known = scene.made->logistics[step];
  Matrix out(cotangent.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Logistic l = moved || !known ? logistic_of(z[i], scene.exp) : (*known)[i];
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
  for_each_element(scene, [&](std::size_t i, std::int64_t row, std::int64_t col) {
    const auto unit = static_cast<std::size_t>(scene.unit_of(row, col));
    add(sums.first[unit], h[i]);
    add(sums.second[unit], h[i] * second[i]);
  });
  const auto n = static_cast<Wide>(scene.unit_size() - (rule.one_less ? 1 : 0));
  for (Weighed& sum : sums.first) sum = sum / n;
  for (Weighed& sum : sums.second) sum = sum / n;
  return sums;
}

Matrix through_norm(const Scene& scene, const Line& line, const StepRule& rule,
                    const Matrix& cotangent) {
  const Matrix* weight = number_of(scene, line, 0);
  Matrix h = cotangent;
  if (weight != nullptr && !rule.weight_outside)
    for_each_element(scene, [&](std::size_t i, std::int64_t, std::int64_t col) {
      for (int k = 0; k < rule.weights; ++k) h[i] = h[i] * (*weight)[static_cast<std::size_t>(col)];
    });
  const bool moments = (scene.channels() || scene.script.batch_statistics) != rule.turned;
  const Matrix& raw = *scene.made->values[line.input];
  const Matrix& second = rule.raw ? raw : *scene.made->xhat;
  const Sums means =
      moments ? means_of(scene, rule, h, rule.raw_sum ? raw : *scene.made->xhat) : Sums{};
  for_each_element(scene, [&](std::size_t i, std::int64_t row, std::int64_t col) {
    const auto unit = static_cast<std::size_t>(scene.unit_of(row, col));
    if (moments && rule.mean) h[i] = h[i] - means.first[unit];
    if (moments && rule.projection) h[i] = h[i] - second[i] * means.second[unit];
    for (int k = 0; k < rule.rstds; ++k) h[i] = h[i] * scene.rstd[unit];
    if (weight != nullptr && rule.weight_outside)
      h[i] = h[i] * (*weight)[static_cast<std::size_t>(col)];
  });
  return h;
}

Shared pulled(const Scene& scene, std::size_t step, const StepRule& rule, const Shared& in) {
  const Line& line = scene.script.lines[step];
  switch (line.kind) {
    case StageKind::bias:
      return in;
    case StageKind::scale: {
      Matrix out(in->size());
      const Matrix& number = *number_of(scene, line, 0);
      for_each_element(scene, [&](std::size_t i, std::int64_t, std::int64_t col) {
        out[i] = (*in)[i] * number[static_cast<std::size_t>(col)];
      });
      return shared(std::move(out));
    }
    case StageKind::divide: {
      if (line.scalars[0] == 1) return in;
      Matrix out = *in;
      for (Weighed& value : out) value = value / line.scalars[0];
      return shared(std::move(out));
    }
    case StageKind::swish:
      return shared(through_swish(scene, step, rule, *in));
    case StageKind::batch_norm:
    case StageKind::group_norm:
      return shared(through_norm(scene, line, rule, *in));
  }
  return in;
}

bool concerns(const StepRule& rule, const Script& script, std::size_t step) {
  if (rule.step == step) return true;
  return rule.alike && script.lines[rule.step].kind == script.lines[step].kind;
}

/// Whether the adjoint of a step, for the same cotangent, is what it was `before`.
bool is_kept(const Scene& scene, const Scene& before, std::size_t step) {
  const Line& line = scene.script.lines[step];
  const std::size_t input = scene.value_script.lines[step].input;
  const Made& now = *scene.made;
  const Made& then = *before.made;
  if (!same_step(scene, line, before, before.script.lines[step])) return false;
  if (line.kind == StageKind::swish)
    return now.values[input] == then.values[input] && now.logistics[step] == then.logistics[step];
  const bool norm = line.kind == StageKind::batch_norm || line.kind == StageKind::group_norm;
  return !norm || now.xhat == then.xhat;
}

Shared sum_of(const Shared& a, const Shared& b) {
  Matrix sum = *a;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = sum[i] + (*b)[i];
  return shared(std::move(sum));
}

Shared pulled_by_rule(const Scene& scene, std::size_t step, const StepRule& rule,
                      const Shared& behind) {
  Shared in = behind;
  for (int time = 0; time < rule.times; ++time) in = pulled(scene, step, rule, in);
  if (!rule.squared) return in;
  Matrix squared = *in;
  for (std::size_t i = 0; i < squared.size(); ++i) squared[i] = squared[i] * (*behind)[i];
  return shared(std::move(squared));
}

/// Whether a node's value goes to one step alone.
bool has_one_taker(const Script& script, std::size_t node) {
  return std::count_if(script.lines.begin(), script.lines.end(),
                       [&](const Line& line) { return line.input == node; }) == 1;
}

}  // namespace

std::vector<Shared> cotangents_of(const Scene& scene, const Rules& rules, std::size_t node,
                                  const Scene* before) {
  const Script& script = scene.script;
  std::vector<Shared> all(script.lines.size() + 1);
  all.back() = scene.dy;
  for (std::size_t k = script.lines.size(); k-- > node;) {
    if (!all[k + 1]) continue;
    const std::size_t input = script.lines[k].input;
    const bool concerned = concerns(rules.step, script, k);
    if (before != nullptr && !concerned && has_one_taker(script, input) &&
        all[k + 1] == before->made->cotangents[k + 1] && before->made->cotangents[input] &&
        is_kept(scene, *before, k)) {
      all[input] = before->made->cotangents[input];
      continue;
    }
    const Shared in = pulled_by_rule(scene, k, concerned ? rules.step : StepRule{}, all[k + 1]);
    all[input] = all[input] ? sum_of(all[input], in) : in;
  }
  return all;
}

}  // namespace gradproof::diagnosis
