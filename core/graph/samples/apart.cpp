// SPDX-License-Identifier: Apache-2.0
#include "core/graph/samples/apart.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/graph/stages.h"

namespace gradproof {
namespace {

/// The numbers of a graph that follow from a part of its tensors along one axis.
class PartAlong {
 public:
  PartAlong(const Graph& graph, std::string_view axis) : graph_(graph), axis_(axis) {
    for (const GraphTensor& t : graph.tensors) values_[t.name] = true;
    for (const GraphStep& s : graph.steps)
      values_[s.value] = !is_coupled(s) && std::ranges::all_of(s.operands, [&](const auto& o) {
        return o.is_number() || values_.at(o.name);
      });
  }

  bool has_value(const std::string& name) const { return values_.at(name); }

  /// The cotangent is a sum over the steps that take the value.
  bool has_cotangent(const std::string& name) const {
    for (const GraphStep& s : graph_.steps) {
      const GraphStage& row = graph_stage(s.stage);
      for (std::size_t k = 0; k < s.operands.size(); ++k)
        if (s.operands[k].name == name && row.goes_back(k) && !goes_back(s, row, k)) return false;
    }
    return true;
  }

 private:
  bool has_axis(const std::string& name) const { return has_name(graph_.axes_of(name), axis_); }

  /// True if a number of the step's value is made of several along the axis.
  bool is_coupled(const GraphStep& s) const {
    if (has_name(s.axes, axis_) || has_name(s.made, axis_)) return true;
    return !has_name(s.value_axes, axis_) && std::ranges::any_of(s.operands, [&](const auto& o) {
      return !o.is_number() && has_axis(o.name);
    });
  }

  /// True if the adjoint of a sum of products along the axis has a term for each of its numbers.
  bool is_sum_of_products(const GraphStep& s, const GraphStage& row) const {
    return row.form == StageForm::contracts && !row.convolves() && has_name(s.axes, axis_);
  }

  /// True if the step's part of the operand's cotangent follows from the part along the axis.
  bool goes_back(const GraphStep& s, const GraphStage& row, std::size_t of) const {
    if (is_coupled(s) && !is_sum_of_products(s, row)) return false;
    const bool sums_over_axis = !has_axis(s.operands[of].name) &&
                                (has_name(s.value_axes, axis_) || has_name(s.axes, axis_));
    return !sums_over_axis && has_cotangent(s.value) && has_factors(s, row, of);
  }

  /// True if all that the derivative with respect to the operand is made of follows from the part.
  /// A product's is the other factor; a sum's and a move's is 1.
  bool has_factors(const GraphStep& s, const GraphStage& row, std::size_t of) const {
    if (row.is_summand() || row.moves()) return true;
    for (std::size_t on = 0; on < s.operands.size(); ++on) {
      const bool is_factor = row.form != StageForm::contracts || (of < 2 && on == 1 - of);
      if (is_factor && !s.operands[on].is_number() && !values_.at(s.operands[on].name))
        return false;
    }
    return true;
  }

  const Graph& graph_;
  const std::string_view axis_;
  std::map<std::string, bool> values_;
};

/// True if the axis is as long as a Case says, and not as long as windows leave it.
bool is_given(const Graph& graph, std::string_view name) {
  return std::ranges::any_of(
      graph.axes, [&](const GraphAxis& axis) { return axis.name == name && axis.is_given(); });
}

}  // namespace

bool is_apart(const Graph& graph, std::string_view target, std::string_view axis) {
  const bool is_output = has_name(graph.outputs, target);
  const std::string of(is_output ? target : target.substr(2));
  if (!has_name(graph.axes_of(of), axis) || !is_given(graph, axis)) return false;
  const PartAlong part(graph, axis);
  return is_output ? part.has_value(of) : part.has_cotangent(of);
}

}  // namespace gradproof
