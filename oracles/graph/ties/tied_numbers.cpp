// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/ties/tied_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "oracles/graph/ties/joined_numbers.h"
#include "oracles/graph/ties/made_choices.h"

namespace gradproof {
namespace {

using Numbers = std::vector<double>;

/// The ties of one step, whose operands are tensors.
class StepTies {
 public:
  StepTies(const GraphClaim& claim, std::size_t step, const Tensors& inputs, JoinedNumbers& joined)
      : graph_(part_of(claim.graph, {step})), plan_(plan_of(claim)), joined_(joined) {
    for (const GraphOperand& o : graph_.steps.front().operands) {
      const auto found = std::find_if(claim.graph.tensors.begin(), claim.graph.tensors.end(),
                                      [&](const GraphTensor& t) { return t.name == o.name; });
      tensors_.push_back(static_cast<std::size_t>(found - claim.graph.tensors.begin()));
      const Tensor& tensor = get(inputs, o.name);
      Numbers& numbers = numbers_.emplace_back(static_cast<std::size_t>(tensor.numel()));
      tensor.read(0, 1, tensor.numel(), numbers.data());
    }
  }

  void join() {
    const PlanStep& s = plan_.steps.front();
    const bool smallest = s.step->stage == "min";
    if (s.row->form == StageForm::elementwise) return join_pairs(s);
    for (std::int64_t g = 0; g < s.groups.count; ++g)
      join_equal(s.groups.members_of(g), s.groups.length, smallest);
    for (std::size_t i = 0; i + 1 < s.window_first.size(); ++i)
      join_equal(s.window.data() + s.window_first[i], s.window_first[i + 1] - s.window_first[i],
                 smallest);
  }

 private:
  GraphPlan plan_of(const GraphClaim& claim) const {
    const std::string axis = block_axis(graph_, claim.extents);
    return {graph_, claim.extents, axis.empty() ? 1 : claim.extents.at(axis),
            [](double number) { return number; }};
  }

  /// Joins the largest or the smallest of several numbers, where two are equal. A number that is
  /// not finite leaves the class open.
  void join_equal(const std::int32_t* members, std::int64_t count, bool smallest) {
    const Numbers& numbers = numbers_.front();
    const double sign = smallest ? -1 : 1;
    double largest = -std::numeric_limits<double>::infinity();
    std::vector<TiedNumber> tied;
    for (std::int64_t k = 0; k < count; ++k) {
      const double number = sign * numbers[static_cast<std::size_t>(members[k])];
      if (!std::isfinite(number)) return;
      if (number > largest) tied.clear();
      if (number >= largest) tied.push_back({tensors_.front(), members[k]});
      largest = std::max(largest, number);
    }
    if (tied.size() > 1) joined_.join(tied, false);
  }

  void join_pairs(const PlanStep& s) {
    for (std::int64_t i = 0; i < s.space; ++i) {
      std::vector<TiedNumber> tied;
      for (std::size_t k = 0; k < 2; ++k) {
        const auto at = static_cast<std::size_t>(i);
        tied.push_back({tensors_[k], s.maps[k].empty() ? i : s.maps[k][at]});
      }
      const double number = number_of(tied[0], 0);
      const bool same = tensors_[0] == tensors_[1] && tied[0].index == tied[1].index;
      if (std::isfinite(number) && number == number_of(tied[1], 1) && !same)
        joined_.join(tied, false);
    }
  }
  double number_of(const TiedNumber& number, std::size_t operand) const {
    return numbers_[operand][static_cast<std::size_t>(number.index)];
  }

  Graph graph_;
  GraphPlan plan_;
  JoinedNumbers& joined_;
  std::vector<std::size_t> tensors_;  ///< by operand, in the tensors of the whole graph
  std::vector<Numbers> numbers_;
};

bool is_all_given(const Graph& graph, const GraphStep& step) {
  return std::all_of(step.operands.begin(), step.operands.end(),
                     [&](const GraphOperand& o) { return is_given(graph, o); });
}

}  // namespace

bool chooses(std::string_view stage) {
  return stage == "max" || stage == "min" || stage == "maximum" || stage == "minimum" ||
         stage == "max_pool";
}

std::vector<Tie> ties_of(const GraphClaim& claim, const Tensors& inputs) {
  const auto& steps = claim.graph.steps;
  if (std::none_of(steps.begin(), steps.end(), [](const auto& s) { return chooses(s.stage); }))
    return {};
  JoinedNumbers joined(claim);
  for (std::size_t k = 0; k < claim.graph.steps.size(); ++k) {
    const GraphStep& s = claim.graph.steps[k];
    if (chooses(s.stage) && is_all_given(claim.graph, s)) StepTies(claim, k, inputs, joined).join();
  }
  TensorNames open;
  if (MadeChoices made(claim, inputs); made.any() && (!joined.empty() || made.may_tie()))
    open = made.settle(joined);
  std::vector<Tie> ties = joined.ties();
  std::erase_if(ties, [&](const Tie& tie) {
    return std::any_of(tie.numbers.begin(), tie.numbers.end(), [&](const TiedNumber& number) {
      return open.contains(claim.graph.tensors[number.tensor].name);
    });
  });
  return ties;
}

}  // namespace gradproof
