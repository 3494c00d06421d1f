// SPDX-License-Identifier: Apache-2.0
#include "core/claim/stage_traits.h"
#include "oracles/diagnosis/replay_pass.h"

namespace gradproof::diagnosis {
namespace {

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
Numbers closed_terms(const Replay& replay, const ReplayedUnit& unit, const ReplayPass& pass,
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
Numbers centered(const Replay& replay, const ReplayPass& pass, bool scaled) {
  const Statistics<TrackedReal>& statistics = *pass.statistics();
  const Numbers& in = pass.value(replay.pipeline.lines[replay.pipeline.norm].input);
  Numbers all;
  all.reserve(in.size());
  for (const TrackedReal& x : in) {
    const TrackedReal d = x - statistics.mean;
    all.push_back(scaled ? d * statistics.rstd : d);
    if (scaled && replay.nan_as_zero && std::isnan(all.back().value)) all.back() = exact(0);
  }
  return all;
}

/// What the cotangent is multiplied with; empty: 1.
Numbers second_factor(const Replay& replay, const ReplayPass& pass, const TermEdit& edit,
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

/// Calls take(unit, terms): a parameter's gradient is a sum with one term for each element of x,
/// the cotangent times the second factor.
template <class Take>
void for_each_term(const Replay& replay, const Edit& edit, const Target& target, const Take& take) {
  const std::optional<Use> use = use_of(replay.pipeline, target);
  const std::size_t usual = use ? use->step + 1 : kNone;
  const std::size_t node = edit.term.changed ? edit.term.cotangent : usual;
  ReplayPass pass(replay, edit, node);
  for (const ReplayedUnit& unit : replay.units) {
    pass.run(unit);
    if (use && is_closed(replay, edit, *use)) {
      take(unit, closed_terms(replay, unit, pass, use->step));
      continue;
    }
    const Numbers second = use ? second_factor(replay, pass, edit.term, *use) : Numbers{};
    const Numbers* cotangent = node == kNone ? nullptr : pass.cotangent(node);
    Numbers terms(unit.at.size());
    for (std::size_t i = 0; i < terms.size(); ++i)
      terms[i] = (cotangent == nullptr ? exact(1) : (*cotangent)[i]) *
                 (second.empty() ? exact(1) : second[i]);
    take(unit, terms);
  }
}

Numbers gradient_of(const Replay& replay, const Edit& edit, const Target& target) {
  Numbers all(target.matrix ? 0 : target.shared ? 1 : static_cast<std::size_t>(replay.cols()));
  if (!target.matrix) {
    const bool whole = edit.rows.is_all() && edit.cols.is_all();
    for_each_term(replay, edit, target, [&](const ReplayedUnit& unit, const Numbers& terms) {
      for (std::size_t i = 0; i < terms.size(); ++i)
        if (whole ||
            (edit.rows.has(replay.row_of(unit.at[i])) && edit.cols.has(replay.col_of(unit.at[i]))))
          add_term(all[target.shared ? 0 : unit.column_of(i, replay.is_grouped())], terms[i]);
    });
    return all;
  }
  ReplayPass pass(replay, edit, 0);
  for (const ReplayedUnit& unit : replay.units) {
    pass.run(unit);
    all.insert(all.end(), pass.cotangent(0)->begin(), pass.cotangent(0)->end());
  }
  return all;
}

}  // namespace

PrefixSums prefix_sums_of(const Replay& replay, const Target& target, bool over_columns) {
  const Claim& claim = replay.question->claim;
  const std::int64_t extent = over_columns ? claim.cols : claim.rows;
  PrefixSums sums(target.shared ? 1 : static_cast<std::size_t>(replay.cols()),
                  Numbers(static_cast<std::size_t>(extent + 1)));
  for_each_term(replay, {}, target, [&](const ReplayedUnit& unit, const Numbers& terms) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const std::size_t entry = target.shared ? 0 : unit.column_of(i, replay.is_grouped());
      const std::int64_t number =
          over_columns ? replay.col_of(unit.at[i]) : replay.row_of(unit.at[i]);
      add_term(sums[entry][static_cast<std::size_t>(1 + number)], terms[i]);
    }
  });
  for (Numbers& of_entry : sums)
    for (std::size_t k = 1; k < of_entry.size(); ++k) {
      of_entry[k].value += of_entry[k - 1].value;
      of_entry[k].error += of_entry[k - 1].error;
    }
  return sums;
}

Numbers predict(const Replay& replay, const Edit& edit, const Target& target) {
  if (!edit.prepare) return gradient_of(replay, edit, target);
  Replay changed = replay;
  edit.prepare(changed);
  return gradient_of(changed, edit, target);
}

}  // namespace gradproof::diagnosis
