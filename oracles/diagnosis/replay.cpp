// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/replay.h"

#include <algorithm>
#include <cmath>

#include "oracles/pipeline/gather.h"
#include "oracles/pipeline/stage_list.h"

namespace gradproof::diagnosis {
namespace {

/// The exponential that the passes take: a double's where the kernel's numbers are narrower.
Exp usual_exp(const JudgedGradient& gradient) {
  const Contract& contract = gradient.claim.contract;
  const auto wide = {contract.storage, contract.accumulation, gradient.got.dtype()};
  return std::count(wide.begin(), wide.end(), DType::f64) == 0 ? Exp::as_double
                                                               : Exp::as_long_double;
}

/// The values less their mean, whose error cancels in a sum with others of this kind.
Numbers deviations(const ReplayArithmetic& arithmetic, Numbers values) {
  const TrackedReal mean = arithmetic.sum_in_unit(values) / arithmetic.count();
  for (TrackedReal& value : values) value = rounded(value.value - mean.value, value.error);
  return values;
}

/// The terms of a scale's gradient in closed form: weight rstd^3 eps (g - mean g) (v - mean v),
/// where g is the cotangent of the norm and v the input of the scale.
Numbers closed_terms(const ReplayPass& pass, std::size_t scale) {
  const JudgedGradient& gradient = pass.gradient;
  const TrackedReal& rstd = pass.statistics()->rstd;
  const TrackedReal factor = gradient.has_weight() ? rstd * pass.weight(0) : rstd;
  Numbers terms = deviations(pass.arithmetic, pass.cotangent(gradient.pipeline.norm + 1));
  const Numbers second = deviations(pass.arithmetic, pass.value(scale));
  for (std::size_t i = 0; i < terms.size(); ++i)
    terms[i] = factor * (terms[i] * second[i]) * (rstd * exact(gradient.eps()) * rstd);
  return terms;
}

/// The terms of a product, of which the unit has one for each element.
Numbers product_terms(const ReplayPass& pass, const Product& product) {
  Numbers terms = pass.factor(product.factor);
  for (std::size_t i = 0; i < terms.size(); ++i)
    terms[i] =
        (product.cotangent == kNone ? exact(1) : pass.cotangent(product.cotangent)[i]) * terms[i];
  return terms;
}

/// Calls take(entry, index, term) for each element of x: a parameter's gradient is the sum of these
/// terms.
template <class Take>
void for_each_term(const Replay& replay, const Edit& edit, const Take& take) {
  const JudgedGradient& gradient = replay.gradient;
  const CompiledPipeline& pipeline = edit.cotangents ? *edit.cotangents : gradient.pipeline;
  const std::size_t step = user_of(pipeline, gradient.slot);
  const Product product = edit.product ? *edit.product : right_product(pipeline, gradient.slot);
  const bool closed = pipeline.lines[step].gradient_behind && !edit.product &&
                      (edit.steps.empty() || edit.steps.front() > pipeline.norm);
  ReplayPass pass(gradient, edit, product.cotangent);
  for (const ReplayedUnit& unit : replay.units) {
    pass.run(unit);
    const Numbers terms = closed ? closed_terms(pass, step) : product_terms(pass, product);
    for (std::size_t i = 0; i < terms.size(); ++i)
      take(gradient.shared ? 0 : unit.column + (gradient.is_grouped() ? i : 0), unit.at[i],
           terms[i]);
  }
}

}  // namespace

Product right_product(const CompiledPipeline& pipeline, std::size_t slot) {
  const std::size_t step = user_of(pipeline, slot);
  const CompiledStep& line = pipeline.lines[step];
  const bool first = line.numbers[0] == static_cast<int>(slot);
  if (line.row->is_norm() && first) return {step + 1, kXhat};
  return {step + 1, line.formula == StageFormula::scale ? step : kNone};
}

ReplayPass::ReplayPass(const JudgedGradient& of, const Edit& changed, std::size_t first)
    : gradient(of),
      edit(changed),
      arithmetic(gradient.geometry.unit_size(), edit.exp.value_or(usual_exp(gradient))),
      forward_(edit.values ? *edit.values : gradient.pipeline),
      backward_(edit.cotangents ? *edit.cotangents : gradient.pipeline),
      first_(first) {
  const std::size_t steps = forward_.lines.size();
  values_.resize(steps + 1);
  cotangents_.resize(steps + 1);
  changed_values_.resize(steps + 1);
  changed_cotangents_.resize(steps);
  // An edit of both passes gives both the same pipeline.
  const bool same = edit.values.has_value() == edit.cotangents.has_value();
  for (std::size_t k = 0; k < steps; ++k) {
    const auto stage = [&](const CompiledPipeline& pipeline) {
      return make_stage<ReplayArithmetic>(pipeline.lines[k], {pipeline, arithmetic, from_});
    };
    value_stages_.push_back(stage(forward_));
    adjoint_stages_.push_back(same ? nullptr : stage(backward_));
    if (is_edited(k) || edit.cotangents) kept_from_ = k + 1;
  }
}

bool ReplayPass::is_edited(std::size_t step) const {
  return std::find(edit.steps.begin(), edit.steps.end(), step) != edit.steps.end();
}

void ReplayPass::run(const ReplayedUnit& unit) {
  right_ = edit.keeps_values() && !unit.values.empty() ? &unit : nullptr;
  from_ = unit.from;
  if (edit.value) from_.given = unit.statistics;
  if (edit.numbers) edit.numbers(from_, unit);
  const auto take = [&](std::size_t node, const Numbers& value) {
    values_[node] = &value;
    if (!edit.value) return;
    values_[node] = &(changed_values_[node] = value);
    edit.value(changed_values_[node], node, unit);
  };
  const std::size_t steps = value_stages_.size();
  take(0, from_.x);
  for (std::size_t k = 0; k < steps; ++k)
    take(k + 1, right_ != nullptr ? unit.values[k + 1] : value_stages_[k]->value(value(k)));
  statistics_ = unit.statistics;
  if (right_ == nullptr && forward_.has_norm()) {
    const Stage<ReplayArithmetic>& norm = *value_stages_[forward_.norm];
    statistics_ = {norm.side_value(NormOutput::mean), {}, norm.side_value(NormOutput::rstd)};
  }
  from_.given = statistics_;  // the backward pass takes those of the forward pass
  cotangents_.back() = &from_.dy;
  for (std::size_t k = steps; k-- > first_;)
    if (right_ != nullptr && k >= kept_from_)
      cotangents_[k] = &unit.cotangents[k];
    else if (is_edited(k))
      cotangents_[k] = &(changed_cotangents_[k] = edit.adjoint(*this, k, cotangent(k + 1)));
    else
      cotangents_[k] = &adjoint(k, cotangent(k + 1));
}

const Numbers& ReplayPass::adjoint(std::size_t step, const Numbers& cotangent, std::size_t node) {
  const bool own = adjoint_stages_[step] != nullptr;
  Stage<ReplayArithmetic>& stage = own ? *adjoint_stages_[step] : *value_stages_[step];
  if (own || right_ != nullptr || node != kNone) stage.remember(value(node == kNone ? step : node));
  return stage.adjoint(cotangent);
}

Numbers ReplayPass::factor(std::size_t node) const {
  if (node == kNone) return Numbers(from_.x.size(), exact(1));
  if (node != kXhat && node != kCentered) return value(node);
  Numbers all = value(forward_.norm);
  for (TrackedReal& x : all) {
    x = x - statistics_->mean;
    if (node == kXhat) x = x * statistics_->rstd;
  }
  return all;
}

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
  right = predict(none);
  if (!gradient.matrix) take_sums();
  std::int64_t off = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool near = std::fabs(right[i].value - entries[i].truth) <= LongDouble(entries[i].bound);
    if (std::isfinite(entries[i].truth) && !near) ++off;
  }
  sound = off * kExceptions <= std::ssize(entries);
}

void Replay::take_units() {
  const Tensor& x = get(gradient.inputs, "x");
  const Tensor& dy = get(gradient.inputs, "dy");
  const bool grouped = gradient.is_grouped();
  for (std::size_t row = 0; row < part.rows.size(); ++row)
    for (std::size_t k = 0; k < part.columns.size(); ++k) {
      const std::int64_t index = part.rows[row] * gradient.claim.cols() + part.columns[k];
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
  sums[0].assign(entries.size(), Numbers(at(claim.rows() + 1)));
  if (gradient.shared) sums[1].assign(1, Numbers(at(claim.cols() + 1)));
  for_each_term(*this, {}, [&](std::size_t entry, std::int64_t index, const TrackedReal& term) {
    sums[0][entry][at(1 + gradient.row_of(index))] += term;
    if (gradient.shared) sums[1][0][at(1 + gradient.col_of(index))] += term;
  });
  for (std::vector<Numbers>& of_axis : sums)
    for (Numbers& sum : of_axis)
      for (std::size_t k = 1; k < sum.size(); ++k) sum[k] = with_terms(sum[k - 1], sum[k]);
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
