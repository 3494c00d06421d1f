// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/replay_pass.h"

#include "core/claim/stage_traits.h"
#include "core/tensor/dtype.h"

namespace gradproof::diagnosis {
namespace {

bool concerns(const StepEdit& edit, const CompiledPipeline& pipeline, std::size_t step) {
  return edit.step == step ||
         (edit.alike && pipeline.lines[edit.step].kind == pipeline.lines[step].kind);
}

/// The first step from which all adjoints are unchanged; kNone where a value has two takers.
std::size_t first_kept(const CompiledPipeline& pipeline, const StepEdit& edit) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < pipeline.lines.size(); ++k) {
    if (pipeline.lines[k].input != k) return kNone;
    if (concerns(edit, pipeline, k)) kept = k + 1;
  }
  return kept;
}

/// The step that the adjoint belongs to.
CompiledStep adjoint_line(CompiledStep line, const StepEdit& edit) {
  if (edit.weights == 0 || edit.weight_behind) line.numbers[0] = CompiledStep::kAbsent;
  return line;
}

/// One step of a pass.
class EditedStage final : public Stage<ReplayArithmetic> {
 public:
  EditedStage(PassState& pass, std::size_t step)
      : pass_(pass),
        step_(step),
        edit_(concerns(pass.edit, pass.replay.pipeline, step) ? pass.edit : StepEdit{}),
        line_(adjoint_line(pass.replay.pipeline.lines[step], edit_)),
        norm_(traits_of(line_.kind).is_norm()),
        arithmetic_(pass.arithmetic.count(), pass.replay.exp, edit_),
        forward_(make_stage<ReplayArithmetic>(
            value_line(), {pass.replay.value_pipeline, pass.arithmetic, pass.from})),
        backward_(
            make_stage<ReplayArithmetic>(line_, {pass.replay.pipeline, arithmetic_, pass.from})) {}

  const Numbers& value(const Numbers& in) override {
    pass_.values[value_line().input] = &in;
    const Numbers& out = pass_.right != nullptr ? pass_.right->values[step_ + 1] : computed(in);
    pass_.values[step_ + 1] = &out;
    return out;
  }

  void remember(const Numbers& in) override { value(in); }

  const Numbers& adjoint(const Numbers& g) override {
    if (pass_.right != nullptr && step_ >= pass_.kept_from)
      return pass_.right->cotangents[line_.input];
    if (step_ < pass_.first_step) return g;
    if (pass_.right == nullptr && is_unchanged()) return forward_->adjoint(g);
    remember_backward(*pass_.values[edit_.slope_node == kNone ? line_.input : edit_.slope_node]);
    if (edit_.step == kNone) return backward_->adjoint(g);
    dx_ = g;
    for (int time = 0; time < edit_.times; ++time)
      dx_ = norm_ ? through_norm(dx_) : Numbers(backward_->adjoint(dx_));
    if (edit_.squared)
      for (std::size_t i = 0; i < dx_.size(); ++i) dx_[i] = dx_[i] * g[i];
    return dx_;
  }

 private:
  const CompiledStep& value_line() const { return pass_.replay.value_pipeline.lines[step_]; }

  /// Whether the value's stage is the adjoint's too.
  bool is_unchanged() const {
    const Replay& replay = pass_.replay;
    return edit_.step == kNone && !replay.nan_as_zero && value_line().kind == line_.kind &&
           value_line().scalars == line_.scalars && value_line().numbers == line_.numbers &&
           replay.value_pipeline.batch_statistics == replay.pipeline.batch_statistics;
  }

  const Numbers& computed(const Numbers& in) {
    const Replay& replay = pass_.replay;
    const Numbers& y = forward_->value(in);
    if (norm_)
      pass_.statistics = {
          forward_->side_value(NormOutput::mean), {}, forward_->side_value(NormOutput::rstd)};
    const bool rounds = replay.rounded_node == step_ + 1;
    const bool replaces = norm_ && replay.nan_as_zero;
    if (!rounds && !replaces) return y;
    y_ = y;
    for (std::size_t i = 0; replaces && i < in.size(); ++i)
      if (is_nan_xhat(in[i], *pass_.statistics)) y_[i] = parameter(1, i);
    for (std::size_t i = 0; rounds && i < in.size(); ++i)
      y_[i].value =
          round_to(replay.question->claim.contract.storage, static_cast<double>(y_[i].value));
    return y_;
  }

  /// Makes the adjoint's stage that of this input and, of a norm, of the forward pass's statistics.
  /// Where x stands for xhat, these are 0 and 1.
  void remember_backward(const Numbers& in) {
    const Numbers* at = &in;
    if (norm_) {
      pass_.from.given =
          edit_.raw ? Statistics<TrackedReal>{exact(0), {}, exact(1)} : *pass_.statistics;
      arithmetic_.take_input(in);
      if (pass_.replay.nan_as_zero) {
        in_ = in;
        for (TrackedReal& x : in_)
          if (is_nan_xhat(x, *pass_.statistics)) x = pass_.statistics->mean;
        at = &in_;
      }
    }
    backward_->remember(*at);
  }

  /// The adjoint of a norm gives weight and rstd once; where x stands for xhat it gives no rstd.
  Numbers through_norm(Numbers h) {
    for (std::size_t i = 0; edit_.weights == 2 && i < h.size(); ++i) h[i] = h[i] * weight(i);
    h = backward_->adjoint(h);
    const TrackedReal& rstd = pass_.statistics->rstd;
    for (std::size_t i = 0; i < h.size(); ++i) {
      if (edit_.weight_behind) h[i] = h[i] * weight(i);
      if (edit_.rstds == 0) h[i] = h[i] / rstd.value;
      if (edit_.rstds == 2 || edit_.raw) h[i] = h[i] * rstd;
    }
    return h;
  }

  TrackedReal weight(std::size_t i) const {
    return value_line().numbers[0] == CompiledStep::kAbsent ? exact(1) : parameter(0, i);
  }

  /// What element i meets of the step's parameter in this place; 0 where there is none.
  TrackedReal parameter(std::size_t place, std::size_t i) const {
    const int slot = value_line().numbers[place];
    if (slot == CompiledStep::kAbsent) return exact(0);
    const Numbers& numbers = pass_.from.numbers[static_cast<std::size_t>(slot)];
    return numbers[numbers.size() == 1 ? 0 : i];
  }

  PassState& pass_;
  std::size_t step_;
  StepEdit edit_;      ///< of this step
  CompiledStep line_;  ///< of the adjoint
  bool norm_;
  ReplayArithmetic arithmetic_;  ///< of the adjoint
  std::unique_ptr<Stage<ReplayArithmetic>> forward_;
  std::unique_ptr<Stage<ReplayArithmetic>> backward_;
  Numbers in_;  ///< the adjoint's input, where that is not a value of the pass
  Numbers y_;
  Numbers dx_;
};

struct EditedStageFactory {
  PassState& state;

  template <class A>
  std::unique_ptr<Stage<A>> make(std::size_t position, const Setting<A>&) const {
    return std::make_unique<EditedStage>(state, position);
  }
};

}  // namespace

PassState::PassState(const Replay& of, const StepEdit& changed, std::size_t first)
    : replay(of),
      edit(changed),
      arithmetic(static_cast<double>(of.unit_size()), of.exp),
      first_step(first),
      kept_from(first_kept(of.pipeline, changed)),
      values(of.pipeline.lines.size() + 1) {
  values.front() = &from.x;
}

ReplayPass::ReplayPass(const Replay& replay, const Edit& edit, std::size_t first)
    : shares_(!edit.prepare),
      state_(replay, edit.step, first),
      runner_({replay.pipeline, state_.arithmetic, state_.from}, EditedStageFactory{state_}) {}

void ReplayPass::run(const ReplayedUnit& unit) {
  state_.right = shares_ ? unit.right.get() : nullptr;
  state_.statistics = unit.statistics;
  state_.from = unit.from;
  runner_.forward();
  runner_.backward();
}

void take_right_passes(Replay& replay) {
  ReplayPass pass(replay, {}, 0);
  for (ReplayedUnit& unit : replay.units) {
    pass.run(unit);
    UnitValues right;
    for (std::size_t node = 0; node <= replay.pipeline.lines.size(); ++node) {
      right.values.push_back(pass.value(node));
      const Numbers* cotangent = pass.cotangent(node);
      right.cotangents.push_back(cotangent == nullptr ? Numbers{} : *cotangent);
    }
    unit.statistics = pass.statistics();
    unit.right = std::make_shared<const UnitValues>(std::move(right));
  }
}

}  // namespace gradproof::diagnosis
