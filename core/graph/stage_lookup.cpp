// SPDX-License-Identifier: Apache-2.0
// This file finds the row of a stage's word, says what is meant by a word that is none, and what
// follows from a row.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/stages.h"
#include "core/graph/text/torch_words.h"
#include "core/nearest_word.h"

namespace gradproof {
namespace {

const GraphStage* find_stage(std::string_view word) {
  for (const GraphStage& s : graph_stages())
    if (s.word == word || (!s.synonym.empty() && s.synonym == word)) return &s;
  return nullptr;
}

}  // namespace

bool is_graph_stage(std::string_view word) { return find_stage(word) != nullptr; }

const GraphStage& graph_stage(std::string_view word, std::span<const std::string> defined) {
  if (const GraphStage* const found = find_stage(word)) return *found;
  std::vector<std::string> known(defined.begin(), defined.end());
  for (const GraphStage& s : graph_stages()) {
    known.emplace_back(s.word);
    if (!s.synonym.empty()) known.emplace_back(s.synonym);
  }
  if (word == "dropout")
    throw UsageError(
        "stage 'dropout' is refused: in training its result is random, in evaluation it is its "
        "operand; leave it out");
  std::string advice = advice_on_torch(word);
  if (advice.empty()) advice = did_you_mean(word, known);
  throw UsageError(
      fmt::format("unknown stage '{}'; 'gradproof list stages' names them{}", word, advice));
}

bool GraphStage::takes(std::string_view function) const {
  return std::find(functions.begin(), functions.end(), function) != functions.end();
}

std::size_t GraphStage::labels() const {
  const auto is_it = [](const StageOperand& o) { return o.part == TensorPart::labels; };
  return static_cast<std::size_t>(std::ranges::find_if(operands, is_it) - operands.begin());
}

bool GraphStage::moves_statistic() const {
  return form == StageForm::reduces && operands.back().is_running();
}

namespace {

/// True for an operator of two operands that is affine in the first.
bool is_affine_in_two(const GraphStage& s) {
  return s.form == StageForm::elementwise && s.operands.size() == 2 && !s.is_curved();
}

}  // namespace

bool GraphStage::is_factor() const {
  return is_affine_in_two(*this) && operands[1].multiplies && !operands[1].curved;
}

bool GraphStage::is_summand() const { return is_affine_in_two(*this) && operands[1].identity == 0; }

}  // namespace gradproof
