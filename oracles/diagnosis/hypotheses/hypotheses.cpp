// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/hypotheses/hypotheses.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace gradproof::diagnosis {

Prediction changed_entries(const Replay& replay, const Numbers& changed) {
  const double stored = unit_roundoff(replay.gradient.got.dtype());
  const double unit = unit_roundoff(replay.gradient.claim.contract.accumulation);
  Prediction p;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const double before = replay.right[i].error;
    const double size = changed[i].size();
    const double wider = before > 0 ? std::max(1.0, changed[i].error / before) : 1;
    const double within = std::isfinite(replay.entries[i].truth)
                              ? replay.entries[i].bound * wider
                              : unit * (2 * changed[i].error + size);
    p.push_back({changed[i].value, within + stored * size});
  }
  return p;
}

void Hypotheses::add_all() {
  add_factors(*this);
  rank = Rank::change;
  if (sample.sound)
    for (const auto family :
         {add_changed_adjoints, add_changed_products, add_changed_layouts, add_changed_numbers,
          add_changed_statistics, add_changed_pipelines, add_changed_sums})
      family(*this);
  rank = Rank::misplaced;
  add_misplaced(*this);
  add_fitted(*this);
}

void Hypotheses::add(std::string text, Predict predict, std::int64_t tries) {
  const std::int64_t tested = tries > 0 ? counted + tries : ++counted;
  list.push_back({std::move(text), std::move(predict), rank, tested});
}

void Hypotheses::add(std::string text, Edit edit) {
  add(std::move(text), [edit = std::move(edit)](const Replay& replay) {
    return changed_entries(replay, replay.predict(edit));
  });
}

std::string Hypotheses::step_text(std::size_t step) const {
  static constexpr std::array<const char*, 4> kOrdinals{"first", "second", "third", "fourth"};
  const std::string_view word = pipeline.lines[step].row->word;
  std::vector<std::size_t> same;
  for (std::size_t k = 0; k < pipeline.lines.size(); ++k)
    if (pipeline.lines[k].row->word == word) same.push_back(k);
  if (same.size() == 1) return std::string(word);
  if (same.size() > kOrdinals.size()) return fmt::format("step {} ({})", step, word);
  const auto place = std::find(same.begin(), same.end(), step) - same.begin();
  return fmt::format("the {} {}", kOrdinals[at(place)], word);
}

std::string Hypotheses::value_text(std::size_t node) const {
  return node == 0 ? "x" : "the value behind " + step_text(node - 1);
}

std::string Hypotheses::cotangent_text(std::size_t node) const {
  if (node == pipeline.lines.size()) return "dy";
  return node == 0 ? "d_x" : "the cotangent behind " + step_text(node - 1);
}

}  // namespace gradproof::diagnosis
