// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/ties/tied_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace gradproof {
namespace {

using Numbers = std::vector<double>;

/// Sets of elements of all tensors, each known by one of them.
class JoinedNumbers {
 public:
  explicit JoinedNumbers(const GraphClaim& claim) {
    std::int64_t all = 0;
    for (const GraphTensor& t : claim.graph.tensors) {
      first_.push_back(all);
      all += numel(claim.shape_of(t.name));
    }
    first_.push_back(all);
  }

  /// The elements of one choice.
  void join(const std::vector<TiedNumber>& tied) {
    if (parent_.empty()) {
      parent_.resize(static_cast<std::size_t>(first_.back()));
      std::iota(parent_.begin(), parent_.end(), std::int64_t{0});
    }
    for (const TiedNumber& number : tied) {
      joined_.push_back(place_of(number));
      at(root_of(place_of(number))) = root_of(place_of(tied.front()));
    }
    chosen_.push_back(place_of(tied.front()));
  }

  std::vector<Tie> ties() {
    std::sort(joined_.begin(), joined_.end());
    joined_.erase(std::unique(joined_.begin(), joined_.end()), joined_.end());
    std::map<std::int64_t, Tie> by_root;
    for (const std::int64_t place : joined_)
      by_root[root_of(place)].numbers.push_back(number_at(place));
    for (const std::int64_t place : chosen_) ++by_root[root_of(place)].choices;
    std::vector<Tie> all;
    for (auto& [root, tie] : by_root) all.push_back(std::move(tie));
    return all;
  }

 private:
  std::int64_t place_of(const TiedNumber& number) const {
    return first_[number.tensor] + number.index;
  }
  TiedNumber number_at(std::int64_t place) const {
    const auto next = std::upper_bound(first_.begin(), first_.end(), place);
    const auto tensor = static_cast<std::size_t>(next - first_.begin()) - 1;
    return {tensor, place - first_[tensor]};
  }
  std::int64_t& at(std::int64_t place) { return parent_[static_cast<std::size_t>(place)]; }
  std::int64_t root_of(std::int64_t place) {
    while (at(place) != place) place = at(place) = at(at(place));
    return place;
  }

  std::vector<std::int64_t> first_;   ///< place of each tensor's first element
  std::vector<std::int64_t> parent_;  ///< empty: nothing is joined
  std::vector<std::int64_t> joined_;
  std::vector<std::int64_t> chosen_;  ///< an element of each choice
};

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

  /// Of several numbers the largest or the smallest, where there are two of them. What is not
  /// finite leaves the class open.
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
    if (tied.size() > 1) joined_.join(tied);
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
      if (std::isfinite(number) && number == number_of(tied[1], 1) && !same) joined_.join(tied);
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

bool chooses(std::string_view stage) {
  return stage == "max" || stage == "min" || stage == "maximum" || stage == "minimum" ||
         stage == "max_pool";
}

/// Whether it is a tensor of numbers that has a gradient.
bool is_given(const Graph& graph, const GraphOperand& operand) {
  return std::any_of(graph.tensors.begin(), graph.tensors.end(), [&](const GraphTensor& t) {
    return t.name == operand.name && t.part != TensorPart::value && has_gradient(t.part);
  });
}

using Names = std::set<std::string, std::less<>>;

bool is_all_given(const Graph& graph, const GraphStep& step) {
  return std::all_of(step.operands.begin(), step.operands.end(),
                     [&](const GraphOperand& o) { return is_given(graph, o); });
}

/// The tensors that a choice among made numbers depends on. Such numbers may be equal too, and then
/// a part of the cotangent goes to elements of no tie.
Names tensors_chosen_from_later(const Graph& graph) {
  std::map<std::string, Names, std::less<>> from;  // by value, the tensors that it is made of
  Names all;
  for (const GraphStep& s : graph.steps) {
    Names& tensors = from[s.value];
    for (const GraphOperand& o : s.operands) {
      const auto made = from.find(o.name);
      if (made == from.end())
        tensors.insert(o.name);
      else
        tensors.insert(made->second.begin(), made->second.end());
    }
    if (chooses(s.stage) && !is_all_given(graph, s)) all.insert(tensors.begin(), tensors.end());
  }
  return all;
}

}  // namespace

std::vector<Tie> ties_of(const GraphClaim& claim, const Tensors& inputs) {
  JoinedNumbers joined(claim);
  for (std::size_t k = 0; k < claim.graph.steps.size(); ++k) {
    const GraphStep& s = claim.graph.steps[k];
    if (chooses(s.stage) && is_all_given(claim.graph, s)) StepTies(claim, k, inputs, joined).join();
  }
  std::vector<Tie> ties = joined.ties();
  const Names open = tensors_chosen_from_later(claim.graph);
  std::erase_if(ties, [&](const Tie& tie) {
    return std::any_of(tie.numbers.begin(), tie.numbers.end(), [&](const TiedNumber& number) {
      return open.contains(claim.graph.tensors[number.tensor].name);
    });
  });
  return ties;
}

}  // namespace gradproof
