// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/hypotheses/hypotheses.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace gradproof::diagnosis {
namespace {

/// One wrong entry in so many may have another reason; of 16 or more one always may.
constexpr std::int64_t kOtherReasons = 256;
constexpr std::int64_t kMany = 16;
constexpr double kChanceBits = 10;
constexpr double kClassBits = 2;  ///< of an entry whose class alone agrees (a NaN)
constexpr double kMostBits = 40;  ///< of any one entry

}  // namespace

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

void Fit::take(const ComparedEntry& entry, const PredictedEntry& predicted) {
  const bool same = class_of(static_cast<double>(predicted.value)) == class_of(entry.got);
  const bool finite = std::isfinite(entry.got);
  const double error =
      finite ? static_cast<double>(std::fabs(LongDouble(entry.got) - predicted.value)) : 0;
  const bool within = same && (!finite || error <= predicted.tolerance);
  wrong += entry.wrong ? 1 : 0;
  contradicted += entry.wrong || within ? 0 : 1;
  if (!entry.wrong || !within) return;
  ++explained;
  if (error > 0) worst = std::max(worst, error / predicted.tolerance);
  // Where the truth is NaN or infinite, a finite number may by chance be anywhere within its size.
  const LongDouble truth = std::isfinite(entry.truth) ? entry.truth : LongDouble(0);
  const double distance = static_cast<double>(std::fabs(LongDouble(entry.got) - truth));
  if (!finite || !(distance > 0))
    bits += kClassBits;
  else if (predicted.tolerance < distance)
    bits += predicted.tolerance > 0 ? std::min(kMostBits, std::log2(distance / predicted.tolerance))
                                    : kMostBits;
}

void Fit::add(const Fit& other) {
  wrong += other.wrong;
  explained += other.explained;
  contradicted += other.contradicted;
  worst = std::max(worst, other.worst);
  bits += other.bits;
}

bool Fit::explains() const {
  const std::int64_t one = wrong >= kMany ? 1 : 0;
  return wrong > 0 && wrong - explained <= std::max(one, wrong / kOtherReasons);
}

bool Fit::holds(std::int64_t tested) const {
  return explains() && bits >= kChanceBits + std::log2(static_cast<double>(tested));
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
