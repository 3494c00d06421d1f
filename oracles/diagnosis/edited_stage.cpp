// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/edited_stage.h"

#include "core/claim/stage_traits.h"
#include "core/tensor/dtype.h"
#include "oracles/pipeline/stage_list.h"

namespace gradproof::diagnosis {
namespace {

/// The edit, if it is of this step; otherwise none.
StepEdit edit_of(const PassSetting& pass, std::size_t step) {
  const StepEdit& edit = pass.edit;
  const std::vector<CompiledStep>& lines = pass.replay.pipeline.lines;
  const bool alike = edit.alike && lines[edit.step].kind == lines[step].kind;
  return edit.step == step || alike ? edit : StepEdit{};
}

}  // namespace

EditedStage::EditedStage(PassSetting& pass, std::size_t step)
    : pass_(pass),
      step_(step),
      edit_(edit_of(pass, step)),
      line_(pass.replay.pipeline.lines[step]),
      norm_(traits_of(line_.kind).is_norm()),
      forward_arithmetic_(static_cast<double>(pass.replay.unit_size()), pass.replay.exp),
      backward_arithmetic_(forward_arithmetic_) {}

const Numbers& EditedStage::value(const Numbers& in) {
  pass_.values[pass_.replay.value_pipeline.lines[step_].input] = &in;
  const Numbers& out = pass_.keeps_values ? pass_.unit.right->values[step_ + 1] : computed(in);
  pass_.values[step_ + 1] = &out;
  return out;
}

const Numbers& EditedStage::computed(const Numbers& in) {
  const Replay& replay = pass_.replay;
  const CompiledStep& line = replay.value_pipeline.lines[step_];
  forward_ = make_stage<ReplayArithmetic>(
      line, {replay.value_pipeline, forward_arithmetic_, pass_.unit.from});
  const Numbers& y = forward_->value(in);
  const bool rounds = replay.rounded_node == step_ + 1;
  if (norm_)
    pass_.statistics = {
        forward_->side_value(NormOutput::mean), {}, forward_->side_value(NormOutput::rstd)};
  if (!rounds && !(norm_ && replay.nan_as_zero)) return y;
  y_ = y;
  if (norm_ && replay.nan_as_zero) take_nan_as_zero(in);
  if (rounds)
    for (TrackedReal& v : y_)
      v.value = round_to(replay.question->claim.contract.storage, static_cast<double>(v.value));
  return y_;
}

/// The value of a norm is beta where xhat is 0.
void EditedStage::take_nan_as_zero(const Numbers& in) {
  const int slot = line_.numbers[1];
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!is_nan_xhat(in[i], *pass_.statistics)) continue;
    y_[i] = exact(0);
    if (slot == CompiledStep::kAbsent) continue;
    const Numbers& beta = pass_.unit.from.numbers[static_cast<std::size_t>(slot)];
    y_[i] = beta[beta.size() == 1 ? 0 : i];
  }
}

const Numbers& EditedStage::adjoint(const Numbers& g) {
  if (step_ >= pass_.kept_from) return pass_.unit.right->cotangents[line_.input];
  if (step_ < pass_.first_step) return g;
  build_backward();
  if (edit_.step == kNone) return backward_->adjoint(g);
  dx_ = g;
  for (int time = 0; time < edit_.times; ++time)
    dx_ = norm_ ? through_norm(dx_) : Numbers(backward_->adjoint(dx_));
  if (edit_.squared)
    for (std::size_t i = 0; i < dx_.size(); ++i) dx_[i] = dx_[i] * g[i];
  return dx_;
}

void EditedStage::build_backward() {
  const bool moved = edit_.slope_node != kNone;
  const Numbers* in = pass_.values[moved ? edit_.slope_node : line_.input];
  backward_unit_.numbers = pass_.unit.from.numbers;
  if (norm_) {
    backward_unit_.given = pass_.statistics;
    if (edit_.raw) backward_unit_.given = Statistics<TrackedReal>{exact(0), {}, exact(1)};
    if (edit_.weights == 0 || edit_.weight_behind) line_.numbers[0] = CompiledStep::kAbsent;
    if (pass_.replay.nan_as_zero) {
      in_ = *in;
      for (TrackedReal& x : in_)
        if (is_nan_xhat(x, *pass_.statistics)) x = pass_.statistics->mean;
      in = &in_;
    }
  }
  backward_arithmetic_ = {forward_arithmetic_.count(), pass_.replay.exp, edit_, in};
  backward_ = make_stage<ReplayArithmetic>(
      line_, {pass_.replay.pipeline, backward_arithmetic_, backward_unit_});
  backward_->remember(*in);
}

/// The adjoint of a norm gives weight and rstd once; where x stands for xhat it gives no rstd.
Numbers EditedStage::through_norm(Numbers h) {
  if (edit_.weights == 2) multiply_by_weight(h);
  h = backward_->adjoint(h);
  if (edit_.weight_behind) multiply_by_weight(h);
  const TrackedReal& rstd = pass_.statistics->rstd;
  for (TrackedReal& d : h) {
    if (edit_.rstds == 0) d = d / rstd.value;
    if (edit_.rstds == 2 || edit_.raw) d = d * rstd;
  }
  return h;
}

void EditedStage::multiply_by_weight(Numbers& h) const {
  const int slot = pass_.replay.pipeline.lines[step_].numbers[0];
  if (slot == CompiledStep::kAbsent) return;
  const Numbers& weight = pass_.unit.from.numbers[static_cast<std::size_t>(slot)];
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = h[i] * weight[weight.size() == 1 ? 0 : i];
}

}  // namespace gradproof::diagnosis
