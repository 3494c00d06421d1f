// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/replay.h"

#include <cmath>

#include "oracles/pipeline/gather.h"

namespace gradproof::diagnosis {
namespace {

/// One entry in so many may differ because an intermediate value leaves the range of the type.
constexpr std::int64_t kExceptions = 256;

/// The values less their mean, whose error cancels in a sum with others of this kind.
Numbers deviations(const Numbers& values) {
  TrackedReal mean;
  for (const TrackedReal& value : values) mean += value;
  mean = mean / static_cast<LongDouble>(values.size());
  Numbers all;
  for (const TrackedReal& value : values)
    all.push_back(rounded(value.value - mean.value, value.error));
  return all;
}

/// The terms of a scale's gradient in closed form: weight rstd^3 eps (g - mean g) (v - mean v),
/// where g is the cotangent of the norm and v the input of the scale.
Numbers closed_terms(const ReplayPass& pass, std::size_t scale) {
  const JudgedGradient& gradient = pass.gradient;
  const TrackedReal& rstd = pass.statistics()->rstd;
  const TrackedReal factor = gradient.has_weight() ? rstd * pass.weight(0) : rstd;
  Numbers terms = deviations(pass.cotangent(gradient.pipeline.norm + 1));
  const Numbers second = deviations(pass.value(scale));
  for (std::size_t i = 0; i < terms.size(); ++i)
    terms[i] = factor * (terms[i] * second[i]) * (rstd * exact(gradient.eps()) * rstd);
  return terms;
}

/// Calls take(entry, index, term) for each element of x: a parameter's gradient is the sum of these
/// terms.
template <class Take>
void for_each_term(const Replay& replay, const Edit& edit, const Take& take) {
  const JudgedGradient& gradient = replay.gradient;
  const CompiledPipeline& pipeline = edit.cotangents ? *edit.cotangents : gradient.pipeline;
  const std::size_t step = use_of(pipeline, gradient.slot).step;
  const Product product = edit.product ? *edit.product : right_product(pipeline, gradient.slot);
  const bool closed = pipeline.lines[step].gradient_behind && !edit.product &&
                      (edit.steps.empty() || edit.steps.front() > pipeline.norm);
  ReplayPass pass(gradient, edit, product.cotangent);
  for (const ReplayedUnit& unit : replay.units) {
    pass.run(unit);
    Numbers terms = closed ? closed_terms(pass, step) : Numbers(unit.at.size(), exact(1));
    const Numbers factor = product.factor && !closed ? product.factor(pass) : Numbers{};
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (!closed)
        terms[i] = (product.cotangent == kNone ? terms[i] : pass.cotangent(product.cotangent)[i]) *
                   (factor.empty() ? terms[i] : factor[i]);
      take(gradient.shared ? 0 : unit.column + (gradient.is_grouped() ? i : 0), unit.at[i],
           terms[i]);
    }
  }
}

}  // namespace

Replay::Replay(const JudgedGradient& of, Part rows_and_columns)
    : gradient(of), part(std::move(rows_and_columns)) {
  take_units();
  const auto take = [&](std::int64_t index) { entries.push_back(gradient.entry(index)); };
  if (gradient.matrix)
    for (const ReplayedUnit& unit : units) std::for_each(unit.at.begin(), unit.at.end(), take);
  else if (gradient.shared)
    take(0);
  else
    std::for_each(part.columns.begin(), part.columns.end(), take);
  if (!gradient.is_chain()) return;
  const Edit none;
  ReplayPass pass(gradient, none, 0);
  for (ReplayedUnit& unit : units) {
    pass.run(unit);
    unit.statistics = pass.statistics();
    for (std::size_t node = 0; node <= gradient.pipeline.lines.size(); ++node) {
      unit.values.push_back(pass.value(node));
      unit.cotangents.push_back(pass.cotangent(node));
    }
  }
  if (gradient.matrix)
    right = predict(none);
  else
    take_sums();
  sound = is_sound();
}

void Replay::take_units() {
  const Tensor& x = get(gradient.inputs, "x");
  const Tensor& dy = get(gradient.inputs, "dy");
  const bool grouped = gradient.is_grouped();
  for (std::size_t row = 0; row < part.rows.size(); ++row)
    for (std::size_t k = 0; k < part.columns.size(); ++k) {
      const std::int64_t index = part.rows[row] * gradient.claim.cols + part.columns[k];
      const std::int64_t number = gradient.geometry.unit_of(index);
      const bool first = grouped ? k == 0 || units.back().number != number : row == 0;
      if (first) units.push_back({number, k});
      ReplayedUnit& unit = grouped ? units.back() : units[k];
      unit.at.push_back(index);
      unit.from.x.push_back(exact(x.at(index)));
      unit.from.dy.push_back(exact(dy.at(index)));
    }
  for (ReplayedUnit& unit : units) {
    for (const ParameterSlot& slot : gradient.pipeline.numbers) {
      const Tensor& tensor = get(gradient.inputs, slot.name);
      Numbers& numbers = unit.from.numbers.emplace_back();
      const std::size_t count = grouped && !slot.shared ? unit.at.size() : 1;
      for (std::size_t i = 0; i < count; ++i)
        numbers.push_back(exact(tensor.at(slot.shared ? 0 : gradient.col_of(unit.at[i]))));
    }
    if (gradient.has_given()) unit.from.given = given_for<TrackedReal>(gradient.given, unit.number);
    unit.statistics = unit.from.given;
  }
}

void Replay::take_sums() {
  const Claim& claim = gradient.claim;
  sums[0].assign(entries.size(), Numbers(static_cast<std::size_t>(claim.rows + 1)));
  if (gradient.shared) sums[1].assign(1, Numbers(static_cast<std::size_t>(claim.cols + 1)));
  for_each_term(*this, {}, [&](std::size_t entry, std::int64_t index, const TrackedReal& term) {
    sums[0][entry][static_cast<std::size_t>(1 + gradient.row_of(index))] += term;
    if (gradient.shared) sums[1][0][static_cast<std::size_t>(1 + gradient.col_of(index))] += term;
  });
  for (std::vector<Numbers>& of_axis : sums)
    for (Numbers& sum : of_axis)
      for (std::size_t k = 1; k < sum.size(); ++k) {
        sum[k].value += sum[k - 1].value;
        sum[k].error += sum[k - 1].error;
      }
  for (const Numbers& sum : sums[0]) right.push_back(sum.back());
}

bool Replay::is_sound() const {
  std::int64_t off = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LongDouble error = std::fabs(right[i].value - entries[i].truth);
    if (std::isfinite(entries[i].truth) && !(error <= LongDouble(entries[i].bound))) ++off;
  }
  return off * kExceptions <= static_cast<std::int64_t>(entries.size());
}

Numbers Replay::predict(const Edit& edit) const {
  Numbers all(gradient.matrix ? 0 : entries.size());
  if (!gradient.matrix) {
    for_each_term(*this, edit, [&](std::size_t entry, std::int64_t, const TrackedReal& term) {
      all[entry] += term;
    });
    return all;
  }
  ReplayPass pass(gradient, edit, 0);
  for (const ReplayedUnit& unit : units) {
    pass.run(unit);
    all.insert(all.end(), pass.cotangent(0).begin(), pass.cotangent(0).end());
  }
  return all;
}

}  // namespace gradproof::diagnosis
