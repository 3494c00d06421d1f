// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/unit_pass.h"

#include <algorithm>

#include "core/claim/stage_traits.h"

namespace gradproof::diagnosis {
namespace {

struct EditedStageFactory {
  PassSetting& setting;

  template <class A>
  std::unique_ptr<Stage<A>> make(std::size_t position, const Setting<A>&) const {
    return std::make_unique<EditedStage>(setting, position);
  }
};

/// The first step whose adjoint and all behind are unchanged; kNone where some value has two
/// takers.
std::size_t first_kept(const CompiledPipeline& pipeline, const StepEdit& edit) {
  std::size_t kept = edit.step == kNone ? 0 : edit.step + 1;
  for (std::size_t k = 0; k < pipeline.lines.size(); ++k) {
    if (pipeline.lines[k].input != k) return kNone;
    if (edit.alike && pipeline.lines[k].kind == pipeline.lines[edit.step].kind) kept = k + 1;
  }
  return kept;
}

PassSetting setting_of(const Replay& replay, const ReplayedUnit& unit, const Edit& edit,
                       std::size_t first) {
  const bool kept = unit.right && !edit.prepare;
  std::vector<const Numbers*> values(replay.pipeline.lines.size() + 1);
  values.front() = &unit.from.x;
  return {replay,
          unit,
          edit.step,
          kept,
          kept ? first_kept(replay.pipeline, edit.step) : kNone,
          first,
          std::move(values),
          kept ? unit.statistics : std::nullopt};
}

/// The values less their mean, whose error cancels in a sum with others of this kind.
Numbers deviations(const Numbers& values) {
  TrackedReal mean;
  for (const TrackedReal& value : values) add_term(mean, value);
  mean = mean / static_cast<LongDouble>(values.size());
  Numbers all;
  for (const TrackedReal& value : values)
    all.push_back(rounded(value.value - mean.value, value.error));
  return all;
}

/// The terms of a scale's gradient in closed form: weight rstd^3 eps (g - mean g) (v - mean v),
/// where g is the cotangent of the norm and v the input of the scale.
Numbers closed_terms(const Replay& replay, const ReplayedUnit& unit, const UnitPass& pass,
                     std::size_t scale) {
  const CompiledStep& norm = replay.pipeline.lines[replay.pipeline.norm];
  Numbers terms = deviations(*pass.cotangent(replay.pipeline.norm + 1));
  const Numbers second = deviations(pass.value(replay.pipeline.lines[scale].input));
  const TrackedReal& rstd = pass.statistics()->rstd;
  TrackedReal factor = rstd;
  if (norm.numbers[0] != CompiledStep::kAbsent)
    factor = factor * unit.from.numbers[static_cast<std::size_t>(norm.numbers[0])].front();
  for (std::size_t i = 0; i < terms.size(); ++i)
    terms[i] = factor * (terms[i] * second[i]) * (rstd * exact(replay.eps()) * rstd);
  return terms;
}

/// Whether the gradient of a scale is computed in closed form from the norm behind it.
bool is_closed(const Replay& replay, const Edit& edit, const Use& use) {
  if (!replay.pipeline.lines[use.step].gradient_behind || edit.term.changed) return false;
  return edit.step.step == kNone || edit.step.step > replay.pipeline.norm;
}

/// x - mean; xhat, if `scaled`.
Numbers centered(const Replay& replay, const UnitPass& pass, bool scaled) {
  const Statistics<TrackedReal>& statistics = *pass.statistics();
  Numbers all;
  for (const TrackedReal& x : pass.value(replay.pipeline.lines[replay.pipeline.norm].input)) {
    const TrackedReal d = x - statistics.mean;
    all.push_back(scaled ? d * statistics.rstd : d);
    if (scaled && replay.nan_as_zero && std::isnan(all.back().value)) all.back() = exact(0);
  }
  return all;
}

/// What the cotangent is multiplied with; empty: 1.
Numbers second_factor(const Replay& replay, const UnitPass& pass, const TermEdit& edit,
                      const Use& use) {
  const CompiledStep& line = replay.pipeline.lines[use.step];
  const bool xhat = traits_of(line.kind).is_norm() && use.place == 0;
  if (edit.second == Second::node) return pass.value(edit.node);
  if (edit.second == Second::centered) return centered(replay, pass, false);
  if (edit.second == Second::xhat || (edit.second == Second::usual && xhat))
    return centered(replay, pass, true);
  if (edit.second == Second::usual && line.kind == StageKind::scale) return pass.value(line.input);
  return {};
}

/// A parameter's gradient is a sum with one term for each element of x: cotangent times second.
Numbers terms_of(const Replay& replay, const ReplayedUnit& unit, const Edit& edit,
                 const Target& target) {
  const std::optional<Use> use = use_of(replay.pipeline, target);
  const std::size_t usual = use ? use->step + 1 : kNone;
  const std::size_t node = edit.term.changed ? edit.term.cotangent : usual;
  const UnitPass pass(replay, unit, edit, node);
  if (use && is_closed(replay, edit, *use)) return closed_terms(replay, unit, pass, use->step);
  const Numbers second = use ? second_factor(replay, pass, edit.term, *use) : Numbers{};
  const Numbers* cotangent = node == kNone ? nullptr : pass.cotangent(node);
  Numbers terms;
  for (std::size_t i = 0; i < unit.at.size(); ++i)
    terms.push_back((cotangent == nullptr ? exact(1) : (*cotangent)[i]) *
                    (second.empty() ? exact(1) : second[i]));
  return terms;
}

/// Adds the terms in the rows and columns that the edit names.
void add_terms(Numbers& sums, const Replay& replay, const ReplayedUnit& unit, const Edit& edit,
               const Target& target) {
  const Numbers terms = terms_of(replay, unit, edit, target);
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (edit.rows.has(replay.row_of(unit.at[i])) && edit.cols.has(replay.col_of(unit.at[i])))
      add_term(sums[target.shared ? 0 : unit.column_of(i, replay.is_grouped())], terms[i]);
}

Numbers gradient_of(const Replay& replay, const Edit& edit, const Target& target) {
  Numbers all(target.matrix ? 0 : target.shared ? 1 : static_cast<std::size_t>(replay.cols()));
  for (const ReplayedUnit& unit : replay.units) {
    if (!target.matrix) {
      add_terms(all, replay, unit, edit, target);
      continue;
    }
    const UnitPass pass(replay, unit, edit, 0);
    const Numbers& of_unit = *pass.cotangent(0);
    all.insert(all.end(), of_unit.begin(), of_unit.end());
  }
  return all;
}

}  // namespace

UnitPass::UnitPass(const Replay& replay, const ReplayedUnit& unit, const Edit& edit,
                   std::size_t first)
    : setting_(setting_of(replay, unit, edit, first)),
      arithmetic_(static_cast<double>(replay.unit_size()), replay.exp),
      runner_({replay.pipeline, arithmetic_, unit.from}, EditedStageFactory{setting_}) {
  runner_.forward();
  runner_.backward();
}

void take_right_passes(ReplayedUnit& unit, const Replay& replay) {
  const UnitPass pass(replay, unit, {}, 0);
  UnitValues right;
  for (std::size_t node = 0; node <= replay.pipeline.lines.size(); ++node) {
    right.values.push_back(pass.value(node));
    const Numbers* cotangent = pass.cotangent(node);
    right.cotangents.push_back(cotangent == nullptr ? Numbers{} : *cotangent);
  }
  unit.statistics = pass.statistics();
  unit.right = std::make_shared<const UnitValues>(std::move(right));
}

Numbers terms_of(const Replay& replay, const ReplayedUnit& unit, const Target& target) {
  return terms_of(replay, unit, {}, target);
}

Numbers predict(const Replay& replay, const Edit& edit, const Target& target) {
  if (!edit.prepare) return gradient_of(replay, edit, target);
  Replay changed = replay;
  edit.prepare(changed);
  return gradient_of(changed, edit, target);
}

}  // namespace gradproof::diagnosis
