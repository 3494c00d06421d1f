// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/claim/stage_traits.h"
#include "oracles/diagnosis/replay.h"
#include "oracles/pipeline/stage_list.h"

namespace gradproof::diagnosis {
namespace {

/// Of exp in the passes: a double's where the kernel's numbers are narrower.
Exp usual_exp(const JudgedGradient& gradient) {
  const Contract& contract = gradient.claim.contract;
  const auto wide = {contract.storage, contract.accumulation, gradient.got.dtype()};
  return std::count(wide.begin(), wide.end(), DType::f64) == 0 ? Exp::as_double
                                                               : Exp::as_long_double;
}

}  // namespace

Product right_product(const CompiledPipeline& pipeline, std::size_t slot) {
  const Use use = use_of(pipeline, slot);
  const StageKind kind = pipeline.lines[use.step].kind;
  if (traits_of(kind).is_norm() && use.place == 0)
    return {use.step + 1, [](const ReplayPass& pass) { return pass.centered(true); }};
  if (kind != StageKind::scale) return {use.step + 1, {}};
  return {use.step + 1, [use](const ReplayPass& pass) { return pass.value(use.step); }};
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
  if (edit.numbers) edit.numbers(from_, unit);
  const auto take = [&](std::size_t node, const Numbers& value) {
    values_[node] = &value;
    if (edit.node != node) return;
    changed_value_ = value;
    edit.value(changed_value_, unit);
    values_[node] = &changed_value_;
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

Numbers ReplayPass::centered(bool scaled) const {
  Numbers all;
  for (const TrackedReal& x : value(forward_.norm)) {
    const TrackedReal d = x - statistics_->mean;
    all.push_back(scaled ? d * statistics_->rstd : d);
  }
  return all;
}

const TrackedReal& ReplayPass::weight(std::size_t i) const {
  const Numbers& all = from_.numbers[static_cast<std::size_t>(gradient.norm().numbers[0])];
  return all[all.size() == 1 ? 0 : i];
}

}  // namespace gradproof::diagnosis
