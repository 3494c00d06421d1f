// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/evaluate/statistics_script.h"

#include <algorithm>

namespace gradproof {
namespace {

/// Whether everything behind the first norm is reached through it alone, and it is the only one.
bool divides(const Script& script) {
  if (!script.has_norm() || (!script.channels && !script.batch_statistics)) return false;
  if (script.lines[script.norm].input != script.norm) return false;
  return std::all_of(
      script.lines.begin() + static_cast<std::ptrdiff_t>(script.norm) + 1, script.lines.end(),
      [&](const Line& line) { return !line.later_norm && line.input > script.norm; });
}

bool uses(const Script& script, const Movable& tensor) {
  return std::any_of(script.lines.begin(), script.lines.end(), [&](const Line& line) {
    return std::any_of(line.numbers.begin(), line.numbers.end(),
                       [&](int number) { return number == static_cast<int>(tensor.number); });
  });
}

/// xhat weight + beta as steps; what is absent is none.
std::vector<Line> affine_lines(const Line& norm) {
  std::vector<Line> lines;
  for (const std::size_t place : {std::size_t{0}, std::size_t{1}}) {
    if (norm.numbers[place] == Line::kAbsent) continue;
    Line line;
    line.kind = place == 0 ? StageKind::scale : StageKind::bias;
    line.input = lines.size();
    line.numbers[0] = norm.numbers[place];
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

StatisticsScript::StatisticsScript(const Script& script)
    : before(script), after(script), in_two_(divides(script)) {
  if (!in_two_) return;
  const Line& norm = script.lines[script.norm];
  eps = norm.scalars[0];
  before.lines.resize(script.norm);
  after.lines = affine_lines(norm);
  const std::size_t affine = after.lines.size();
  for (std::size_t k = script.norm + 1; k < script.lines.size(); ++k) {
    Line line = script.lines[k];
    line.input = line.input - (script.norm + 1) + affine;
    after.lines.push_back(line);
  }
  for (Script* part : {&before, &after}) {
    part->norm = part->lines.size();
    part->sides.clear();
  }
}

StatisticsScript::~StatisticsScript() = default;

bool StatisticsScript::allows(const Movable& tensor) const {
  if (!in_two_ || tensor.input) return in_two_;
  const bool by_element = before.channels && !before.numbers[tensor.number].shared;
  return by_element && uses(before, tensor) && !uses(after, tensor);
}

}  // namespace gradproof
