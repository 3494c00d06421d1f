// SPDX-License-Identifier: Apache-2.0
#include "core/graph/dependence.h"

#include <algorithm>
#include <set>
#include <string>

#include "core/graph/stages.h"

namespace gradproof {
namespace {

using Names = std::set<std::string, std::less<>>;

enum class Through { all_stages, differentiable_stages };

/// The tensor or value itself, and all values that depend on it.
Names reached_from(const Graph& graph, std::string_view name, Through through) {
  Names reached{std::string(name)};
  for (const GraphStep& step : graph.steps) {
    const GraphStage& row = graph_stage(step.stage);
    for (std::size_t k = 0; k < step.operands.size(); ++k)
      if (reached.contains(step.operands[k].name) &&
          (through == Through::all_stages || row.goes_back(k)))
        reached.insert(step.value);
  }
  return reached;
}

bool reaches_output(const Graph& graph, const std::string& value) {
  const Names reached = reached_from(graph, value, Through::differentiable_stages);
  return std::any_of(graph.outputs.begin(), graph.outputs.end(),
                     [&](const std::string& output) { return reached.contains(output); });
}

/// True if a step's derivative with respect to operand `of` depends on operand `on` or kOptions.
bool derivative_depends(const GraphStage& row, std::size_t of, std::size_t on) {
  if (!row.goes_back(of)) return false;
  if (on == GraphPlace::kOptions) return of == 0;
  const StageOperand& by = row.operands[of];
  const StageOperand& other = row.operands[on];
  if (row.form == StageForm::scans && of != on) return other.multiplies || of > 0;
  if (by.curved && other.curved) return true;
  if (of == on) return false;
  if (of == 0) return other.multiplies;
  return (on == 0 || other.is_running()) && by.multiplies;
}

}  // namespace

bool value_depends(const Graph& graph, std::string_view value, const GraphPlace& place) {
  return reached_from(graph, graph.steps[place.step].value, Through::all_stages).contains(value);
}

bool gradient_depends(const Graph& graph, std::string_view tensor, const GraphPlace& place) {
  const Names moved = reached_from(graph, tensor, Through::differentiable_stages);
  const Names changed = reached_from(graph, graph.steps[place.step].value, Through::all_stages);
  for (std::size_t k = 0; k < graph.steps.size(); ++k) {
    const GraphStep& step = graph.steps[k];
    const GraphStage& row = graph_stage(step.stage);
    if (row.detached || !reaches_output(graph, step.value)) continue;
    for (std::size_t of = 0; of < step.operands.size(); ++of) {
      if (!moved.contains(step.operands[of].name)) continue;
      if (k == place.step && derivative_depends(row, of, place.operand)) return true;
      for (std::size_t on = 0; on < step.operands.size(); ++on)
        if (changed.contains(step.operands[on].name) && derivative_depends(row, of, on))
          return true;
    }
  }
  return false;
}

bool gradient_takes(const Graph& graph, std::string_view tensor, std::string_view output) {
  return reached_from(graph, tensor, Through::differentiable_stages).contains(output);
}

}  // namespace gradproof
