// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/audit/moved_tensors.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/graph/graph_parts.h"

namespace gradproof {
namespace {

using Names = std::vector<std::string>;

/// The axes along which an operand's numbers act on those of the value alone that have the same
/// index. A norm's parameters and a product's matrix are not coupled as first operands are.
Names free_for(const Graph& graph, const PlanStep& step, std::size_t operand) {
  const bool is_pointwise = operand > 0 && (step.row->form == StageForm::normalises ||
                                            step.row->form == StageForm::contracts);
  return is_pointwise ? step.step->value_axes : free_axes(graph, *step.step);
}

/// The row-major index of each element of a value over some of its axes, and the count of these
/// indices.
class SubIndex {
 public:
  SubIndex(const PlanValue& value, const Names& axes) : value_(value) {
    std::int64_t stride = 1;
    strides_.assign(value.axes.size(), 0);
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      const auto at = std::find(value.axes.begin(), value.axes.end(), *axis) - value.axes.begin();
      strides_[static_cast<std::size_t>(at)] = stride;
      stride *= value.extents[static_cast<std::size_t>(at)];
    }
    count_ = stride;
  }

  std::int64_t count() const { return count_; }
  std::int64_t operator()(std::int64_t element) const {
    std::int64_t index = 0;
    for (std::size_t k = strides_.size(); k-- > 0;) {
      index += element % value_.extents[k] * strides_[k];
      element /= value_.extents[k];
    }
    return index;
  }

 private:
  const PlanValue& value_;
  std::vector<std::int64_t> strides_;
  std::int64_t count_ = 1;
};

class Movement {
 public:
  Movement(const GraphPlan& plan, std::size_t tensor)
      : plan_(plan), tensor_(tensor), depends_(plan.values.size(), false) {
    depends_[tensor] = true;
    free_ = plan.values[tensor].axes;
    for (std::size_t k = 0; k < plan.steps.size(); ++k) pass(k);
    for (std::size_t k = 0; k < plan.outputs.size(); ++k)
      if (depends_[static_cast<std::size_t>(plan.outputs[k])]) moved_.outputs.push_back(k);
    if (uses_ > 1) moved_.product = -1;
    find_normaliser();
    if (plan.values[tensor].count > 0) divide();
  }

  MovedTensor moved() && { return std::move(moved_); }

 private:
  void pass(std::size_t k) {
    const PlanStep& s = plan_.steps[k];
    bool depends = false;
    for (std::size_t o = 0; o < s.operands.size(); ++o) {
      if (s.operands[o] < 0 || !depends_[static_cast<std::size_t>(s.operands[o])]) continue;
      const bool is_tensor = s.operands[o] == static_cast<int>(tensor_);
      if (is_tensor) ++uses_;
      if (is_resting(s, o)) continue;
      depends = true;
      const Names free = free_for(*plan_.graph, s, o);
      std::erase_if(free_, [&](const std::string& axis) { return !has_name(free, axis); });
      if (is_tensor && s.row->form == StageForm::contracts && o < 2)
        moved_.product = static_cast<int>(k);
    }
    if (!depends) return;
    depends_[static_cast<std::size_t>(s.value)] = true;
    moved_.steps.push_back(k);
  }

  /// The kind of a step in which a moved number changes the others of its group through their
  /// statistics; nothing for another step.
  static std::optional<Normaliser> kind_of(const PlanStep& s) {
    if (s.groups.length == 0) return std::nullopt;
    if (s.row->statistics == StageStatistics::own)
      return s.row->ignores_shift ? Normaliser::centred : Normaliser::uncentred;
    if (s.step->stage == "softmax") return Normaliser::softmax;
    if (s.step->stage == "log_softmax") return Normaliser::log_softmax;
    return std::nullopt;
  }

  /// True if a value has an element for each of the moved tensor's, at the same index. Axes of
  /// which there is one number in the plan's block do not count.
  bool is_aligned(int value) const {
    const auto long_axes = [](const PlanValue& of) {
      Names names;
      for (std::size_t k = 0; k < of.axes.size(); ++k)
        if (of.extents[k] != 1) names.push_back(of.axes[k]);
      return names;
    };
    return long_axes(plan_.values[static_cast<std::size_t>(value)]) ==
           long_axes(plan_.values[tensor_]);
  }

  void find_normaliser() {
    for (const std::size_t k : moved_.steps) {
      const PlanStep& s = plan_.steps[k];
      const bool same = is_aligned(s.value);
      bool ignores = s.row->form == StageForm::elementwise;
      for (const int operand : s.operands)
        if (operand >= 0 && depends_[static_cast<std::size_t>(operand)])
          ignores = ignores && is_aligned(operand);
      if (same && ignores) continue;
      const auto moves = [&](int operand) {
        return operand >= 0 && depends_[static_cast<std::size_t>(operand)];
      };
      const std::optional<Normaliser> kind = kind_of(s);
      const bool is_first = moves(s.operands.front()) &&
                            std::none_of(s.operands.begin() + 1, s.operands.end(), moves);
      const bool is_only = moved_.normaliser < 0 && same && kind && is_first;
      moved_.normaliser = is_only ? static_cast<int>(k) : -1;
      moved_.normaliser_kind = kind.value_or(Normaliser::centred);
      if (moved_.normaliser < 0) return;
    }
  }

  /// An axis that an operand lacks, as a bias does, is none that its numbers differ along.
  void divide() {
    const PlanValue& value = plan_.values[tensor_];
    Names others;
    for (const std::string& axis : value.axes)
      if (!has_name(free_, axis)) others.push_back(axis);
    const SubIndex number(value, free_);
    const SubIndex column(value, others);
    moved_.columns.assign(static_cast<std::size_t>(column.count()),
                          std::vector<std::size_t>(static_cast<std::size_t>(number.count())));
    for (std::int64_t i = 0; i < value.count; ++i)
      moved_.columns[static_cast<std::size_t>(column(i))][static_cast<std::size_t>(number(i))] =
          static_cast<std::size_t>(i);
    for (const std::size_t k : moved_.outputs) {
      const PlanValue& output = plan_.values[static_cast<std::size_t>(plan_.outputs[k])];
      const SubIndex of(output, free_);
      std::vector<std::int32_t>& numbers = moved_.number_of.emplace_back();
      for (std::int64_t i = 0; i < output.count; ++i)
        numbers.push_back(static_cast<std::int32_t>(of(i)));
    }
  }

  const GraphPlan& plan_;
  std::size_t tensor_;
  std::vector<bool> depends_;  ///< by value
  Names free_;                 ///< the tensor's axes that nothing couples, in its order
  int uses_ = 0;
  MovedTensor moved_;
};

}  // namespace

bool is_resting(const PlanStep& step, std::size_t operand) {
  if (step.operands[operand] < 0) return false;
  const auto is_running = [](const StageOperand& o) { return o.is_running(); };
  const bool updates =
      step.row->form == StageForm::reduces && std::ranges::any_of(step.row->operands, is_running);
  return !step.row->goes_back(operand) || updates || is_running(step.row->operands[operand]);
}

MovedTensors::MovedTensors(const GraphPlan& plan) {
  for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k)
    tensors.push_back(has_gradient(plan.graph->tensors[k].part) ? Movement(plan, k).moved()
                                                                : MovedTensor());
  for (const PlanStep& s : plan.steps) {
    std::vector<std::size_t>& of_step = resting.emplace_back();
    for (std::size_t o = 0; o < s.operands.size(); ++o)
      if (is_resting(s, o)) of_step.push_back(o);
    has_resting = has_resting || !of_step.empty();
  }
}

}  // namespace gradproof
