// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/evaluate/statistics_pipeline.h"

#include <algorithm>

namespace gradproof {
namespace {

/// True if the first norm is the only one, and no later step uses a value from before it.
bool divides(const CompiledPipeline& compiled) {
  if (!has_unit_norm(compiled)) return false;
  if (compiled.lines[compiled.norm].input != compiled.norm) return false;
  return std::all_of(
      compiled.lines.begin() + static_cast<std::ptrdiff_t>(compiled.norm) + 1, compiled.lines.end(),
      [&](const CompiledStep& line) { return !line.later_norm && line.input > compiled.norm; });
}

bool uses(const CompiledPipeline& compiled, const Movable& tensor) {
  return std::any_of(compiled.lines.begin(), compiled.lines.end(), [&](const CompiledStep& line) {
    return std::any_of(line.numbers.begin(), line.numbers.end(),
                       [&](int number) { return number == static_cast<int>(tensor.number); });
  });
}

/// xhat weight + beta as steps; an absent parameter has no step.
std::vector<CompiledStep> affine_lines(const CompiledStep& norm) {
  std::vector<CompiledStep> lines;
  for (const std::size_t place : {std::size_t{0}, std::size_t{1}}) {
    if (norm.numbers[place] == CompiledStep::kAbsent) continue;
    CompiledStep line;
    line.formula = place == 0 ? StageFormula::scale : StageFormula::bias;
    line.input = lines.size();
    line.numbers[0] = norm.numbers[place];
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

bool has_unit_norm(const CompiledPipeline& compiled) {
  return compiled.has_norm() && (compiled.channels || compiled.batch_statistics);
}

bool by_element(const CompiledPipeline& compiled, const Movable& tensor) {
  return tensor.input || (compiled.channels && !compiled.numbers[tensor.number].shared);
}

StatisticsPipeline::StatisticsPipeline(const CompiledPipeline& compiled)
    : before(compiled), after(compiled), in_two_(divides(compiled)) {
  if (!in_two_) return;
  const CompiledStep& norm = compiled.lines[compiled.norm];
  eps = norm.scalars[0];
  before.lines.resize(compiled.norm);
  after.lines = affine_lines(norm);
  const std::size_t affine = after.lines.size();
  for (std::size_t k = compiled.norm + 1; k < compiled.lines.size(); ++k) {
    CompiledStep line = compiled.lines[k];
    line.input = line.input - (compiled.norm + 1) + affine;
    after.lines.push_back(line);
  }
  for (CompiledPipeline* part : {&before, &after}) {
    part->norm = part->lines.size();
    part->sides.clear();
  }
}

StatisticsPipeline::~StatisticsPipeline() = default;

bool StatisticsPipeline::allows(const Movable& tensor) const {
  if (!in_two_ || tensor.input) return in_two_;
  return by_element(before, tensor) && uses(before, tensor) && !uses(after, tensor);
}

}  // namespace gradproof
