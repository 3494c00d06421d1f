// SPDX-License-Identifier: Apache-2.0
#include "core/graph/cancellation/cancellation.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/graph/stages.h"

namespace gradproof {
namespace {

using AxisNames = std::set<std::string, std::less<>>;

/// Stages whose value stays the same where one number is added to all that they take together.
constexpr std::array<std::string_view, 8> kShiftless{"softmax",    "log_softmax", "layer_norm",
                                                     "batch_norm", "group_norm",  "instance_norm",
                                                     "var",        "rstd"};
/// Stages whose value grows by the number that is added to all that they take together.
constexpr std::array<std::string_view, 4> kShifted{"mean", "max", "min", "logsumexp"};

template <std::size_t n>
bool has(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The way in which a value depends on the tensors that are asked about.
struct Dependence {
  enum class Kind {
    none,
    summand,  ///< by a summand that is one number along all axes but those that it varies over
    other
  };
  Kind kind = Kind::none;
  AxisNames varies = {};

  static Dependence otherwise() { return {Kind::other}; }
  bool any() const { return kind != Kind::none; }
  /// A copy, which varies over these axes too if the value depends by a summand.
  Dependence over(const std::vector<std::string>& axes) const {
    Dependence more = *this;
    if (kind == Kind::summand) more.varies.insert(axes.begin(), axes.end());
    return more;
  }
  Dependence without(const std::vector<std::string>& axes) const {
    Dependence less = *this;
    for (const std::string& axis : axes) less.varies.erase(axis);
    return less;
  }
  bool varies_over(const std::vector<std::string>& axes) const {
    return std::any_of(axes.begin(), axes.end(),
                       [&](const std::string& axis) { return varies.contains(axis); });
  }
};

Dependence sum_of(const Dependence& a, const Dependence& b) {
  if (a.kind == Dependence::Kind::other || b.kind == Dependence::Kind::other)
    return Dependence::otherwise();
  if (!a.any()) return b;
  Dependence sum = a;
  sum.varies.insert(b.varies.begin(), b.varies.end());
  return sum;
}

enum class Following { values, gradients };

/// The dependence of each value of a graph on some of the graph's tensors.
class Dependences {
 public:
  Dependences(const Graph& graph, const GraphExtents& extents, Following following)
      : graph_(graph), extents_(extents), following_(following) {}

  /// Adds a tensor whose summand varies over those of the axes that have more than one number.
  void add(const std::string& tensor, const std::vector<std::string>& axes) {
    Dependence start{Dependence::Kind::summand};
    for (const std::string& axis : axes)
      if (extents_.at(axis) > 1) start.varies.insert(axis);
    found_.insert_or_assign(tensor, std::move(start));
  }

  void follow() {
    for (const GraphStep& step : graph_.steps)
      if (Dependence made = of_step(step); made.any())
        found_.insert_or_assign(step.value, std::move(made));
  }

  bool depends(std::string_view value) const { return found_.contains(value); }

 private:
  Dependence of(const GraphOperand& operand) const {
    const auto found = found_.find(operand.name);
    return found == found_.end() ? Dependence{} : found->second;
  }

  std::vector<std::string> axes_beside(const GraphStep& step, std::size_t operand) const {
    std::vector<std::string> axes;
    for (std::size_t o = 0; o < step.operands.size(); ++o)
      if (o != operand && !step.operands[o].is_number())
        for (const std::string& axis : graph_.axes_of(step.operands[o].name)) axes.push_back(axis);
    return axes;
  }

  /// Axes along which numbers are taken together. A channel that is a group of its own is taken
  /// with no other one.
  std::vector<std::string> together(const GraphStep& step, const GraphStage& row) const {
    std::vector<std::string> axes = step.axes;
    if (row.axes == StageAxes::group && channels_in_a_group(step) == 1)
      std::erase(axes, channel_of(step));
    return axes;
  }
  std::string channel_of(const GraphStep& step) const {
    const std::vector<std::string>& axes = graph_.axes_of(step.operands.front().name);
    return axes.at(std::min<std::size_t>(1, axes.size() - 1));
  }
  std::int64_t channels_in_a_group(const GraphStep& step) const {
    return extents_.at(channel_of(step)) / static_cast<std::int64_t>(step.number("groups"));
  }
  /// The count of numbers that are taken together.
  std::int64_t count(const GraphStep& step, const GraphStage& row) const {
    std::int64_t numbers = 1;
    for (const std::string& axis : step.axes)
      numbers *= row.axes == StageAxes::group && axis == channel_of(step)
                     ? channels_in_a_group(step)
                     : extents_.at(axis);
    return numbers;
  }

  /// The dependence through operands that are added to the value or subtracted from it.
  Dependence of_summands(const GraphStep& step, const GraphStage& row) const {
    Dependence all;
    for (std::size_t o = 1; o < step.operands.size(); ++o)
      if (row.operands[o].identity == 0 && !row.operands[o].is_running())
        all = sum_of(all, of(step.operands[o]));
    return all;
  }

  /// The dependence through operands behind the first that are not summands.
  Dependence of_factors(const GraphStep& step, const GraphStage& row) const {
    for (std::size_t o = 1; o < step.operands.size(); ++o) {
      const Dependence one = of(step.operands[o]);
      const bool adds = row.operands[o].identity == 0 && !row.operands[o].is_running();
      if (!one.any() || adds) continue;
      // If the first operand depends on the tensors too, the value has a product of both.
      const bool alone = row.is_factor() && !of(step.operands.front()).any();
      return alone ? one.over(axes_beside(step, o)) : Dependence::otherwise();
    }
    return {};
  }

  /// The dependence through the first operand.
  Dependence of_first(const GraphStep& step, const GraphStage& row) const {
    const Dependence first = of(step.operands.front());
    if (first.kind != Dependence::Kind::summand) return first;
    const bool apart = !first.varies_over(together(step, row));
    if (has(kShiftless, row.word)) return apart ? Dependence{} : Dependence::otherwise();
    if (row.convolves()) return Dependence::otherwise();
    if (row.form == StageForm::contracts)
      return first.over(axes_beside(step, 0)).without(step.axes);
    if (row.form == StageForm::reduces && row.word != "sum" && !has(kShifted, row.word))
      return Dependence::otherwise();
    if (row.form == StageForm::reduces && (apart || !row.is_curved()))
      return first.without(step.axes);
    const bool elementwise =
        row.form == StageForm::elementwise || row.statistics == StageStatistics::given;
    if (!elementwise || row.is_curved()) return Dependence::otherwise();
    return first.over(axes_beside(step, 0));
  }

  Dependence of_step(const GraphStep& step) const {
    const GraphStage& row = graph_stage(step.stage);
    if (row.detached && following_ == Following::gradients) return {};
    const bool takes_any = std::any_of(step.operands.begin(), step.operands.end(),
                                       [&](const GraphOperand& o) { return of(o).any(); });
    if (!takes_any) return {};
    if (row.form == StageForm::reduces && !row.moves_statistic() && count(step, row) == 0)
      return {};
    if (is_zero_alone(step, row)) return of_summands(step, row);
    return sum_of(sum_of(of_first(step, row), of_summands(step, row)), of_factors(step, row));
  }

  /// True if the step takes one number alone and ignores it: the value of a norm is then beta.
  bool is_zero_alone(const GraphStep& step, const GraphStage& row) const {
    if (!has(kShiftless, row.word) || row.form != StageForm::normalises) return false;
    return count(step, row) == 1;
  }

  const Graph& graph_;
  const GraphExtents& extents_;
  Following following_;
  std::map<std::string, Dependence, std::less<>> found_;
};

bool reaches_no_output(const Graph& graph, const GraphExtents& extents, const Dependences& found) {
  return std::none_of(graph.outputs.begin(), graph.outputs.end(), [&](const std::string& output) {
    const std::vector<std::string>& axes = graph.axes_of(output);
    const bool empty = std::any_of(axes.begin(), axes.end(),
                                   [&](const std::string& axis) { return extents.at(axis) == 0; });
    return !empty && found.depends(output);
  });
}

}  // namespace

bool is_constant(const Graph& graph, const GraphExtents& extents, std::string_view value) {
  Dependences found(graph, extents, Following::values);
  for (const GraphTensor& tensor : graph.tensors) found.add(tensor.name, tensor.axes);
  found.follow();
  return !found.depends(value);
}

bool gradient_vanishes(const Graph& graph, const GraphExtents& extents, std::string_view tensor) {
  return summand_vanishes(graph, extents, tensor, graph.axes_of(tensor));
}

bool summand_vanishes(const Graph& graph, const GraphExtents& extents, std::string_view tensor,
                      const std::vector<std::string>& axes) {
  Dependences found(graph, extents, Following::gradients);
  found.add(std::string(tensor), axes);
  found.follow();
  return reaches_no_output(graph, extents, found);
}

}  // namespace gradproof
