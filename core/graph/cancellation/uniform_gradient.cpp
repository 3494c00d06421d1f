// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/graph/cancellation/cancellation.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

/// The axes along which the gradient of each tensor and value may vary.
class GradientAxes {
  using Varying = std::set<std::string, std::less<>>;

 public:
  GradientAxes(const Graph& graph, const GraphExtents& extents) : graph_(graph), extents_(extents) {
    for (const std::string& output : graph.outputs) add(output, graph.axes_of(output));
    for (auto step = graph.steps.rbegin(); step != graph.steps.rend(); ++step) pull(*step);
  }

  bool has(std::string_view name) const { return found_.contains(name); }
  const Varying& of(std::string_view name) const { return found_.find(name)->second; }

 private:
  /// Adds those of the axes that the tensor has: its gradient is summed along the others.
  template <class Axes>
  void add(const std::string& name, const Axes& varies) {
    Varying& all = found_[name];
    const std::vector<std::string>& own = graph_.axes_of(name);
    for (const std::string& axis : varies)
      if (extents_.at(axis) > 1 && has_name(own, axis)) all.insert(axis);
  }

  void pull(const GraphStep& step) {
    const GraphStage& row = graph_stage(step.stage);
    const auto found = found_.find(step.value);
    if (found == found_.end() || row.detached) return;
    const Varying cotangent = found->second;  // add() may move what is found
    for (std::size_t o = 0; o < step.operands.size(); ++o) {
      if (step.operands[o].is_number()) continue;
      const std::string& name = step.operands[o].name;
      add(name, cotangent);
      if (!is_sum(row)) add_factors(step, row, o);
    }
  }
  static bool is_sum(const GraphStage& row) {
    return row.form == StageForm::reduces && !row.is_curved();
  }

  /// Adds the axes over which the step's derivative with respect to the operand varies.
  void add_factors(const GraphStep& step, const GraphStage& row, std::size_t o) {
    const std::string& name = step.operands[o].name;
    const bool adds = o > 0 && row.operands[o].identity == 0 && !row.operands[o].is_running();
    if (adds) return;
    const bool affine = row.form == StageForm::elementwise && !row.operands[o].curved;
    if (!affine || !(o == 0 || row.is_factor())) return add(name, graph_.axes_of(name));
    for (std::size_t other = 0; other < step.operands.size(); ++other) {
      if (other == o || step.operands[other].is_number()) continue;
      const bool multiplies = o == 0 ? row.operands[other].multiplies : row.is_factor();
      if (multiplies) add(name, graph_.axes_of(step.operands[other].name));
    }
  }

  const Graph& graph_;
  const GraphExtents& extents_;
  std::map<std::string, Varying, std::less<>> found_;
};

}  // namespace

bool gradient_is_uniform(const Graph& graph, const GraphExtents& extents, std::string_view tensor) {
  const GradientAxes axes(graph, extents);
  return axes.has(tensor) && axes.of(tensor).empty();
}

}  // namespace gradproof
