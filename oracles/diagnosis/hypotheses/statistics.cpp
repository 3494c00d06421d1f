// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/families.h"

namespace gradproof::diagnosis {
namespace {

/// rstd by another formula of the variance that it came from.
template <class Formula>
Explanation other_rstd(const std::string& words, const Formula& formula) {
  Rules rules;
  rules.prepare = [formula](Scene& scene) {
    const Wide eps = scene.eps();
    for (Weighed& rstd : scene.rstd) {
      const Wide variance = 1 / (rstd.value * rstd.value) - eps;
      rstd = rounded(formula(scene, variance > 0 ? variance : 0, eps), 0);
    }
    scene.given = true;
  };
  return explained_by(words, std::move(rules));
}

Wide share_of(const Scene& scene, std::int64_t less) {
  const auto n = static_cast<Wide>(scene.unit_size());
  return n / (n - static_cast<Wide>(less));
}

void add_formulas(std::vector<Explanation>& all, const Scene& scene) {
  all.push_back(other_rstd("eps stands outside the root", [](const Scene&, Wide v, Wide eps) {
    return 1 / (std::sqrt(v) + eps);
  }));
  all.push_back(
      other_rstd("eps is left out", [](const Scene&, Wide v, Wide) { return 1 / std::sqrt(v); }));
  all.push_back(other_rstd("eps is taken as 1e-5", [](const Scene&, Wide v, Wide) {
    return 1 / std::sqrt(v + Wide(1e-5F));
  }));
  if (scene.unit_size() < 2) return;
  all.push_back(other_rstd(
      fmt::format("the variance is divided by N-1 (N = {})", scene.unit_size()),
      [](const Scene& s, Wide v, Wide eps) { return 1 / std::sqrt(v * share_of(s, 1) + eps); }));
}

/// A slice's columns are not all of their group.
Scene with_whole_units(const Scene& scene) {
  if (!scene.slice) return scene;
  const Claim& claim = scene.question->claim;
  std::vector<std::int64_t> blocks;
  for (const std::int64_t col : scene.part.columns)
    if (blocks.empty() || blocks.back() != col / claim.block_width())
      blocks.push_back(col / claim.block_width());
  return scene_of(*scene.question, part_of(claim, blocks));
}

void add_other_source(std::vector<Explanation>& all, const Scene& scene) {
  const bool batch = scene.channels() || scene.script.batch_statistics;
  const Line& norm = scene.script.lines[scene.script.norm];
  const auto add = [&](const std::string& words, bool own_batch) {
    Rules rules;
    rules.prepare = [own_batch](Scene& s) {
      Scene own = with_whole_units(s);
      own.given = false;
      own.script.batch_statistics = own_batch;
      fill_values(own);
      s.mean = own.mean;
      s.rstd = own.rstd;
      s.given = true;
    };
    all.push_back(explained_by(words, rules));
  };
  if (scene.given) add("the statistics are not those that forward saved", batch);
  if (scene.channels() || norm.numbers[2] == Line::kAbsent) return;
  add(batch ? "the running statistics stand for the batch's"
            : "the batch's statistics stand for the running ones",
      !batch);
}

/// Of a unit in another row: of the first of each `chunk` rows.
void add_other_rows(std::vector<Explanation>& all, const Scene& scene) {
  const std::int64_t rows = scene.question->claim.rows;
  for (std::int64_t chunk = 2; chunk < 2 * rows; chunk *= 2) {
    Rules rules;
    rules.prepare = [chunk](Scene& s) {
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

void add_nan(std::vector<Explanation>& all, const Evidence& e) {
  const auto has_nan = [](const Scene& scene) {
    return scene.made && scene.made->xhat &&
           std::any_of(scene.made->xhat->begin(), scene.made->xhat->end(),
                       [](const Weighed& xhat) { return std::isnan(xhat.value); });
  };
  if (!has_nan(e.scene) && std::none_of(e.tiles.begin(), e.tiles.end(), has_nan)) return;
  Rules rules;
  rules.prepare = [](Scene& s) { s.nan_as_zero = true; };
  all.push_back(explained_by("0 is taken for an xhat that is NaN", rules));
}

}  // namespace

std::vector<Explanation> changed_statistics(const Evidence& evidence) {
  const Scene& scene = evidence.scene;
  std::vector<Explanation> all;
  if (!scene.script.has_norm() || scene.rstd.empty()) return all;
  add_formulas(all, scene);
  add_other_source(all, scene);
  Rules zero;
  zero.prepare = [](Scene& s) {
    for (Weighed& mean : s.mean) mean = exact(0);
    s.given = true;
  };
  all.push_back(explained_by("the mean is taken as 0", zero));
  if (scene.channels()) add_other_rows(all, scene);
  add_nan(all, evidence);
  return all;
}

}  // namespace gradproof::diagnosis
