// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/hypotheses/hypotheses.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace gradproof::diagnosis {

Hypotheses::Hypotheses(const Observation& of_sample)
    : sample(of_sample),
      replay(of_sample.replay),
      pipeline(of_sample.replay.pipeline),
      claim(of_sample.replay.question->claim) {}

void Hypotheses::add_all(bool has_all_entries) {
  add_factors(*this);
  rank = Rank::change;
  if (sample.sound)
    for (const auto family :
         {add_changed_adjoints, add_changed_products, add_changed_layouts, add_changed_numbers,
          add_changed_statistics, add_changed_pipelines, add_partial_sums})
      family(*this);
  rank = Rank::rounded_sum;
  add_rounded_sums(*this);
  rank = Rank::misplaced;
  if (has_all_entries) add_misplaced(*this);
  rank = Rank::fitted;
  add_proportional(*this);
}

void Hypotheses::add(std::string text, std::function<Prediction(const Observation&)> predict,
                     int coefficients) {
  all_.push_back({std::move(text), std::move(predict), rank, coefficients, ++tested_, {}});
}

void Hypotheses::add(std::string text, Edit edit) {
  add(std::move(text),
      [edit = std::move(edit)](const Observation& e) { return prediction_of(e, edit); });
}

void Hypotheses::add(std::string text, const StepEdit& edit) {
  add(std::move(text), Edit{.step = edit});
}

void Hypotheses::add(std::string text, std::function<void(Replay&)> prepare) {
  add(std::move(text), Edit{.prepare = std::move(prepare)});
}

void Hypotheses::add_found(std::string text, Edit edit, std::int64_t tries) {
  add(std::move(text), std::move(edit));
  all_.back().tested = --tested_ + tries;
}

std::string Hypotheses::step_text(std::size_t step) const {
  static constexpr std::array<const char*, 4> kOrdinals{"first", "second", "third", "fourth"};
  const StageKind kind = pipeline.lines[step].kind;
  const auto same = [&](const CompiledStep& line) { return line.kind == kind; };
  const auto before = std::count_if(
      pipeline.lines.begin(), pipeline.lines.begin() + static_cast<std::ptrdiff_t>(step), same);
  if (std::count_if(pipeline.lines.begin(), pipeline.lines.end(), same) == 1)
    return std::string(name_of(kind));
  if (before >= 4) return fmt::format("step {} ({})", step, name_of(kind));
  return fmt::format("the {} {}", kOrdinals[static_cast<std::size_t>(before)], name_of(kind));
}

std::string Hypotheses::value_text(std::size_t node) const {
  return node == 0 ? "x" : "the value behind " + step_text(node - 1);
}

std::string Hypotheses::cotangent_text(std::size_t node) const {
  if (node == pipeline.lines.size()) return "dy";
  return node == 0 ? "d_x" : "the cotangent behind " + step_text(node - 1);
}

}  // namespace gradproof::diagnosis
