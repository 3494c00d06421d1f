// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

using UnitStatistics = Statistics<TrackedReal>;

/// Each unit's statistics are changed(unit, those that it has).
template <class Changed>
void add_statistics(Hypotheses& all, const std::string& text, const Changed& changed) {
  all.add(text, [changed](Replay& replay) {
    for (ReplayedUnit& unit : replay.units) unit.from.given = changed(replay, *unit.statistics);
  });
}

/// rstd is another formula of the same variance v = 1/rstd^2 - eps: 1/formula(v, eps).
void add_rstd(Hypotheses& all, const std::string& text,
              LongDouble (*formula)(LongDouble v, LongDouble eps, LongDouble n)) {
  add_statistics(all, text, [formula](const Replay& replay, UnitStatistics statistics) {
    const LongDouble rstd = statistics.rstd.value;
    const LongDouble variance = 1 / (rstd * rstd) - LongDouble(replay.eps());
    const LongDouble root = formula(variance > 0 ? variance : 0, replay.eps(),
                                    static_cast<LongDouble>(replay.unit_size()));
    statistics.rstd = rounded(1 / root, 0);
    return statistics;
  });
}

void add_formulas(Hypotheses& all) {
  using Real = LongDouble;
  add_rstd(all, "eps stands outside the root",
           [](Real v, Real eps, Real) { return std::sqrt(v) + eps; });
  add_rstd(all, "eps is left out", [](Real v, Real, Real) { return std::sqrt(v); });
  add_rstd(all, "eps is taken as 1e-5",
           [](Real v, Real, Real) { return std::sqrt(v + Real(1e-5F)); });
  if (all.replay.unit_size() < 2) return;
  add_rstd(all, fmt::format("the variance is divided by N-1 (N = {})", all.replay.unit_size()),
           [](Real v, Real eps, Real n) { return std::sqrt(v * (n / (n - 1)) + eps); });
}

void add_other_source(Hypotheses& all) {
  const bool batch = all.replay.is_grouped() || all.pipeline.batch_statistics;
  const CompiledStep& norm = all.pipeline.lines[all.pipeline.norm];
  const auto add = [&](const std::string& text, bool of_batch) {
    all.add(text, [of_batch](Replay& replay) {
      CompiledPipeline other = replay.pipeline;
      other.batch_statistics = of_batch;
      take_own_statistics(replay, other);
    });
  };
  if (all.replay.given) add("the statistics are not those that forward saved", batch);
  if (all.replay.is_grouped() || norm.numbers[2] == CompiledStep::kAbsent) return;
  add(batch ? "the running statistics stand for the batch's"
            : "the batch's statistics stand for the running ones",
      !batch);
}

/// The statistics of a row are those of the first of each `chunk` rows.
void take_first_rows(Replay& replay, std::int64_t chunk) {
  const Question& q = *replay.question;
  const std::int64_t groups = q.claim.groups;
  const auto groups_here = static_cast<std::int64_t>(replay.units.size()) / replay.rows();
  const auto first = [chunk](std::int64_t unit, std::int64_t in_row) {
    return static_cast<std::size_t>(unit / in_row / chunk * chunk * in_row + unit % in_row);
  };
  for (std::size_t k = 0; k < replay.units.size(); ++k) {
    ReplayedUnit& unit = replay.units[k];
    if (!replay.given) {  // all rows are in the part
      unit.from.given = replay.units[first(static_cast<std::int64_t>(k), groups_here)].statistics;
      continue;
    }
    const auto from = static_cast<std::int64_t>(first(unit.number, groups));
    unit.from.given = {exact(q.given->mean.at(from)), {}, exact(q.given->rstd.at(from))};
  }
}

void add_other_rows(Hypotheses& all) {
  for (std::int64_t chunk = 2; chunk < 2 * all.claim.rows; chunk *= 2)
    all.add(chunk >= all.claim.rows ? "the statistics of row 0 are taken for all rows"
                                    : fmt::format("the statistics of the first of each {} rows are "
                                                  "taken for all of them",
                                                  chunk),
            [chunk](Replay& replay) { take_first_rows(replay, chunk); });
}

/// Whether the unchanged passes have an xhat that is NaN.
bool has_nan(const Replay& replay) {
  return std::any_of(replay.units.begin(), replay.units.end(), [&](const ReplayedUnit& unit) {
    const Numbers& in = unit.right->values[replay.pipeline.lines[replay.pipeline.norm].input];
    return std::any_of(in.begin(), in.end(),
                       [&](const TrackedReal& x) { return is_nan_xhat(x, *unit.statistics); });
  });
}

}  // namespace

void add_changed_statistics(Hypotheses& all) {
  if (!all.pipeline.has_norm() || all.replay.units.empty()) return;
  add_formulas(all);
  add_other_source(all);
  add_statistics(all, "the mean is taken as 0", [](const Replay&, UnitStatistics statistics) {
    statistics.mean = exact(0);
    return statistics;
  });
  if (all.replay.is_grouped()) add_other_rows(all);
  if (has_nan(all.replay))
    all.add("0 is taken for an xhat that is NaN",
            [](Replay& replay) { replay.nan_as_zero = true; });
}

}  // namespace gradproof::diagnosis
