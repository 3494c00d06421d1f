// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/families.h"

namespace gradproof::diagnosis {
namespace {

/// rstd is another formula of the same variance v = 1/rstd^2 - eps.
template <class Formula>
Explanation other_rstd(const std::string& text, const Formula& formula) {
  Rules rules;
  rules.prepare = [formula](ReplayedPipeline& replayed) {
    const LongDouble eps = replayed.eps();
    for (TrackedReal& rstd : replayed.rstd) {
      const LongDouble variance = 1 / (rstd.value * rstd.value) - eps;
      rstd = rounded(formula(replayed, variance > 0 ? variance : 0, eps), 0);
    }
    replayed.given = true;
  };
  return explained_by(text, std::move(rules));
}

LongDouble share_of(const ReplayedPipeline& replayed, std::int64_t less) {
  const auto n = static_cast<LongDouble>(replayed.unit_size());
  return n / (n - static_cast<LongDouble>(less));
}

void add_formulas(std::vector<Explanation>& all, const ReplayedPipeline& replayed) {
  all.push_back(other_rstd("eps stands outside the root",
                           [](const ReplayedPipeline&, LongDouble v, LongDouble eps) {
                             return 1 / (std::sqrt(v) + eps);
                           }));
  all.push_back(other_rstd("eps is left out", [](const ReplayedPipeline&, LongDouble v,
                                                 LongDouble) { return 1 / std::sqrt(v); }));
  all.push_back(
      other_rstd("eps is taken as 1e-5", [](const ReplayedPipeline&, LongDouble v, LongDouble) {
        return 1 / std::sqrt(v + LongDouble(1e-5F));
      }));
  if (replayed.unit_size() < 2) return;
  all.push_back(
      other_rstd(fmt::format("the variance is divided by N-1 (N = {})", replayed.unit_size()),
                 [](const ReplayedPipeline& s, LongDouble v, LongDouble eps) {
                   return 1 / std::sqrt(v * share_of(s, 1) + eps);
                 }));
}

/// The same part with all columns of its groups, which a slice lacks.
ReplayedPipeline with_whole_units(const ReplayedPipeline& replayed) {
  if (!replayed.slice) return replayed;
  const Claim& claim = replayed.question->claim;
  std::vector<std::int64_t> blocks;
  for (const std::int64_t col : replayed.part.columns)
    if (blocks.empty() || blocks.back() != col / claim.block_width())
      blocks.push_back(col / claim.block_width());
  return replayed_pipeline_of(*replayed.question, part_of(claim, blocks));
}

void add_other_source(std::vector<Explanation>& all, const ReplayedPipeline& replayed) {
  const bool batch = replayed.is_grouped() || replayed.compiled.batch_statistics;
  const CompiledStep& norm = replayed.compiled.lines[replayed.compiled.norm];
  const auto add = [&](const std::string& text, bool own_batch) {
    Rules rules;
    rules.prepare = [own_batch](ReplayedPipeline& s) {
      ReplayedPipeline own = with_whole_units(s);
      own.given = false;
      own.compiled.batch_statistics = own_batch;
      fill_values(own);
      s.mean = own.mean;
      s.rstd = own.rstd;
      s.given = true;
    };
    all.push_back(explained_by(text, rules));
  };
  if (replayed.given) add("the statistics are not those that forward saved", batch);
  if (replayed.is_grouped() || norm.numbers[2] == CompiledStep::kAbsent) return;
  add(batch ? "the running statistics stand for the batch's"
            : "the batch's statistics stand for the running ones",
      !batch);
}

/// The statistics of a row are those of the first of each `chunk` rows.
void add_other_rows(std::vector<Explanation>& all, const ReplayedPipeline& replayed) {
  const std::int64_t rows = replayed.question->claim.rows;
  for (std::int64_t chunk = 2; chunk < 2 * rows; chunk *= 2) {
    Rules rules;
    rules.prepare = [chunk](ReplayedPipeline& s) {
      const std::int64_t groups = s.groups;
      for (std::int64_t unit = 0; unit < s.units(); ++unit) {
        const std::int64_t from = unit / groups / chunk * chunk * groups + unit % groups;
        s.mean[static_cast<std::size_t>(unit)] = s.mean[static_cast<std::size_t>(from)];
        s.rstd[static_cast<std::size_t>(unit)] = s.rstd[static_cast<std::size_t>(from)];
      }
      s.given = true;
    };
    all.push_back(explained_by(chunk >= rows
                                   ? "the statistics of row 0 are taken for all rows"
                                   : fmt::format("the statistics of the first of each {} rows are "
                                                 "taken for all of them",
                                                 chunk),
                               rules));
  }
}

void add_nan(std::vector<Explanation>& all, const Observation& e) {
  const auto has_nan = [](const ReplayedPipeline& replayed) {
    return replayed.computed && replayed.computed->xhat &&
           std::any_of(replayed.computed->xhat->begin(), replayed.computed->xhat->end(),
                       [](const TrackedReal& xhat) { return std::isnan(xhat.value); });
  };
  if (!has_nan(e.replayed) && std::none_of(e.tiles.begin(), e.tiles.end(), has_nan)) return;
  Rules rules;
  rules.prepare = [](ReplayedPipeline& s) { s.nan_as_zero = true; };
  all.push_back(explained_by("0 is taken for an xhat that is NaN", rules));
}

}  // namespace

std::vector<Explanation> changed_statistics(const Observation& observation) {
  const ReplayedPipeline& replayed = observation.replayed;
  std::vector<Explanation> all;
  if (!replayed.compiled.has_norm() || replayed.rstd.empty()) return all;
  add_formulas(all, replayed);
  add_other_source(all, replayed);
  Rules zero;
  zero.prepare = [](ReplayedPipeline& s) {
    for (TrackedReal& mean : s.mean) mean = exact(0);
    s.given = true;
  };
  all.push_back(explained_by("the mean is taken as 0", zero));
  if (replayed.is_grouped()) add_other_rows(all, replayed);
  add_nan(all, observation);
  return all;
}

}  // namespace gradproof::diagnosis
