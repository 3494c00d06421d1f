// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/replay.h"

#include <algorithm>

#include "core/claim/stage_traits.h"
#include "core/error.h"

namespace gradproof::diagnosis {
namespace {

const Matrix* number_of(const ReplayedPipeline& replayed, const CompiledStep& line,
                        std::size_t place) {
  const int slot = line.numbers[place];
  return slot == CompiledStep::kAbsent ? nullptr
                                       : &replayed.numbers[static_cast<std::size_t>(slot)];
}

TrackedReal slope_of(const TrackedReal& z, const Logistic& l, Slope slope) {
  const TrackedReal product = z * l.complement;
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

Matrix through_swish(const ReplayedPipeline& replayed, std::size_t step, const StepRule& rule,
                     const Matrix& cotangent) {
  const bool moved = rule.slope_node != kNone;
  const Matrix& z =
      *replayed.computed
           ->values[moved ? rule.slope_node : replayed.value_pipeline.lines[step].input];
  const Logistics& known = replayed.computed->logistics[step];
  Matrix out(cotangent.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Logistic l = moved || !known ? logistic_of(z[i], replayed.exp) : (*known)[i];
    out[i] = cotangent[i] * slope_of(z[i], l, rule.slope);
  }
  return out;
}

struct UnitSums {
  Matrix first;
  Matrix second;
};

/// S1/N = sum h / N and S2/N = sum h second / N of each unit.
UnitSums means_of(const ReplayedPipeline& replayed, const StepRule& rule, const Matrix& h,
                  const Matrix& second) {
  UnitSums sums{Matrix(static_cast<std::size_t>(replayed.units())),
                Matrix(static_cast<std::size_t>(replayed.units()))};
  const auto add = [](TrackedReal& sum, const TrackedReal& term) {
    sum.value += term.value;
    sum.error += term.error + size_of(term);
  };
  for_each_element(replayed, [&](std::size_t i, std::int64_t row, std::int64_t col) {
    const auto unit = static_cast<std::size_t>(replayed.unit_of(row, col));
    add(sums.first[unit], h[i]);
    add(sums.second[unit], h[i] * second[i]);
  });
  const auto n = static_cast<LongDouble>(replayed.unit_size() - (rule.one_less ? 1 : 0));
  for (TrackedReal& sum : sums.first) sum = sum / n;
  for (TrackedReal& sum : sums.second) sum = sum / n;
  return sums;
}

Matrix through_norm(const ReplayedPipeline& replayed, const CompiledStep& line,
                    const StepRule& rule, const Matrix& cotangent) {
  const Matrix* weight = number_of(replayed, line, 0);
  Matrix h = cotangent;
  if (weight != nullptr && !rule.weight_outside)
    for_each_element(replayed, [&](std::size_t i, std::int64_t, std::int64_t col) {
      for (int k = 0; k < rule.weights; ++k) h[i] = h[i] * (*weight)[static_cast<std::size_t>(col)];
    });
  const bool moments = (replayed.is_grouped() || replayed.compiled.batch_statistics) != rule.turned;
  const Matrix& raw = *replayed.computed->values[line.input];
  const Matrix& second = rule.raw ? raw : *replayed.computed->xhat;
  const UnitSums means =
      moments ? means_of(replayed, rule, h, rule.raw_sum ? raw : *replayed.computed->xhat)
              : UnitSums{};
  for_each_element(replayed, [&](std::size_t i, std::int64_t row, std::int64_t col) {
    const auto unit = static_cast<std::size_t>(replayed.unit_of(row, col));
    if (moments && rule.mean) h[i] = h[i] - means.first[unit];
    if (moments && rule.projection) h[i] = h[i] - second[i] * means.second[unit];
    for (int k = 0; k < rule.rstds; ++k) h[i] = h[i] * replayed.rstd[unit];
    if (weight != nullptr && rule.weight_outside)
      h[i] = h[i] * (*weight)[static_cast<std::size_t>(col)];
  });
  return h;
}

Shared pulled(const ReplayedPipeline& replayed, std::size_t step, const StepRule& rule,
              const Shared& in) {
  const CompiledStep& line = replayed.compiled.lines[step];
  switch (line.kind) {
    case StageKind::bias:
      return in;
    case StageKind::scale: {
      Matrix out(in->size());
      const Matrix& number = *number_of(replayed, line, 0);
      for_each_element(replayed, [&](std::size_t i, std::int64_t, std::int64_t col) {
        out[i] = (*in)[i] * number[static_cast<std::size_t>(col)];
      });
      return shared(std::move(out));
    }
    case StageKind::divide: {
      if (line.scalars[0] == 1) return in;
      Matrix out = *in;
      for (TrackedReal& value : out) value = value / line.scalars[0];
      return shared(std::move(out));
    }
    case StageKind::swish:
      return shared(through_swish(replayed, step, rule, *in));
    case StageKind::batch_norm:
    case StageKind::group_norm:
      return shared(through_norm(replayed, line, rule, *in));
    default:
      throw InstrumentError("the diagnosis cannot replay " + std::string(name_of(line.kind)));
  }
}

bool concerns(const StepRule& rule, const CompiledPipeline& compiled, std::size_t step) {
  if (rule.step == step) return true;
  return rule.alike && compiled.lines[rule.step].kind == compiled.lines[step].kind;
}

/// Whether the adjoint of a step, for the same cotangent, is what it was `before`.
bool is_kept(const ReplayedPipeline& replayed, const ReplayedPipeline& before, std::size_t step) {
  const CompiledStep& line = replayed.compiled.lines[step];
  const std::size_t input = replayed.value_pipeline.lines[step].input;
  const ReplayedValues& now = *replayed.computed;
  const ReplayedValues& then = *before.computed;
  if (!same_step(replayed, line, before, before.compiled.lines[step])) return false;
  if (line.kind == StageKind::swish)
    return now.values[input] == then.values[input] && now.logistics[step] == then.logistics[step];
  const bool norm = traits_of(line.kind).is_norm();
  return !norm || now.xhat == then.xhat;
}

Shared sum_of(const Shared& a, const Shared& b) {
  Matrix sum = *a;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = sum[i] + (*b)[i];
  return shared(std::move(sum));
}

Shared pulled_by_rule(const ReplayedPipeline& replayed, std::size_t step, const StepRule& rule,
                      const Shared& behind) {
  Shared in = behind;
  for (int time = 0; time < rule.times; ++time) in = pulled(replayed, step, rule, in);
  if (!rule.squared) return in;
  Matrix squared = *in;
  for (std::size_t i = 0; i < squared.size(); ++i) squared[i] = squared[i] * (*behind)[i];
  return shared(std::move(squared));
}

/// Whether a node's value goes to one step alone.
bool has_one_taker(const CompiledPipeline& compiled, std::size_t node) {
  return std::count_if(compiled.lines.begin(), compiled.lines.end(),
                       [&](const CompiledStep& line) { return line.input == node; }) == 1;
}

}  // namespace

std::vector<Shared> cotangents_of(const ReplayedPipeline& replayed, const Rules& rules,
                                  std::size_t node, const ReplayedPipeline* before) {
  const CompiledPipeline& compiled = replayed.compiled;
  std::vector<Shared> all(compiled.lines.size() + 1);
  all.back() = replayed.dy;
  for (std::size_t k = compiled.lines.size(); k-- > node;) {
    if (!all[k + 1]) continue;
    const std::size_t input = compiled.lines[k].input;
    const bool concerned = concerns(rules.step, compiled, k);
    if (before != nullptr && !concerned && has_one_taker(compiled, input) &&
        all[k + 1] == before->computed->cotangents[k + 1] && before->computed->cotangents[input] &&
        is_kept(replayed, *before, k)) {
      all[input] = before->computed->cotangents[input];
      continue;
    }
    const Shared in = pulled_by_rule(replayed, k, concerned ? rules.step : StepRule{}, all[k + 1]);
    all[input] = all[input] ? sum_of(all[input], in) : in;
  }
  return all;
}

}  // namespace gradproof::diagnosis
