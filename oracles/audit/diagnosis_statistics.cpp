// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "oracles/audit/diagnosis_families.h"

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

void add_other_source(std::vector<Explanation>& all, const Scene& scene) {
  const bool batch = scene.channels() || scene.script.batch_statistics;
  const Line& norm = scene.script.lines[scene.script.norm];
  const auto add = [&](const std::string& words, bool own_batch) {
    Rules rules;
    rules.prepare = [own_batch](Scene& s) {
      s.given = false;
      s.script.batch_statistics = own_batch;
      fill_values(s);
      s.given = true;
      s.script.batch_statistics = s.value_script.batch_statistics;
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
  for (std::int64_t chunk = 2; chunk < 2 * scene.rows; chunk *= 2) {
    Rules rules;
    rules.prepare = [chunk](Scene& s) {
      const std::int64_t groups = s.cols() / s.width;
      for (std::int64_t unit = 0; unit < s.units(); ++unit) {
        const std::int64_t from = unit / groups / chunk * chunk * groups + unit % groups;
        s.mean[static_cast<std::size_t>(unit)] = s.mean[static_cast<std::size_t>(from)];
        s.rstd[static_cast<std::size_t>(unit)] = s.rstd[static_cast<std::size_t>(from)];
      }
      s.given = true;
    };
    all.push_back(explained_by(chunk >= scene.rows
                                   ? "the statistics of row 0 are taken for all rows"
                                   : fmt::format("the statistics of the first of each {} rows are "
                                                 "taken for all of them",
                                                 chunk),
                               rules));
  }
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
  return all;
}

}  // namespace gradproof::diagnosis
