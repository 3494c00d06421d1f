// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "oracles/graph/graph_claim.h"
#include "oracles/graph/ties/joined_numbers.h"

namespace gradproof {

using TensorNames = std::set<std::string, std::less<>>;

/// True if the operand is a tensor of numbers with a gradient that no step made.
bool is_given(const Graph& graph, const GraphOperand& operand);

/// Steps that choose the largest or the smallest of numbers that other steps made. Their truths and
/// bounds decide which of them is chosen. If several may be, their shares still sum to the
/// cotangent; the sum of the gradients is known if all are made in the same way, element by
/// element, of the same numbers, so that the cotangent is multiplied by the same slopes, and if
/// nothing else is made of these numbers.
class MadeChoices {
 public:
  MadeChoices(const GraphClaim& claim, const Tensors& inputs);

  bool any() const { return !choices_.empty(); }
  /// True if a step may choose from numbers that are made in the same way. It needs no truths.
  bool may_tie();
  /// Joins the elements of such ties. Returns the tensors whose gradients have an unknown part by
  /// another choice.
  TensorNames settle(JoinedNumbers& joined);

 private:
  using Ids = std::vector<std::uint64_t>;
  using Places = std::vector<std::int64_t>;
  /// By element, 1 where a relu's argument is below 0 in every program: its value is 0, and 0 goes
  /// back.
  using Dead = std::vector<char>;
  /// The tensor's element from which each element of a value is made, kNone where nothing goes back
  /// to it; in a conflict two ways lead to different elements.
  static constexpr std::int64_t kNone = -1;
  struct Path {
    Places places;
    bool conflict = false;

    void take(const Path& other);
  };

  /// True if each element of a step's value is made of one element of each operand.
  static bool goes_by_element(const PlanStep& s);
  static std::size_t mapped(const IndexMap& map, std::size_t i);
  const std::string& name_of(int value) const {
    return plan_.values[static_cast<std::size_t>(value)].name;
  }
  std::size_t place_of_step(int value) const {
    return static_cast<std::size_t>(value) - claim_.graph.tensors.size();
  }
  bool is_pair(const PlanStep& s) const { return s.row->form == StageForm::elementwise; }
  const Ids& ids_of(int value);
  Ids ids_of_step(std::size_t step);
  std::vector<Places> groups_of(const PlanStep& s) const;
  TensorNames made_of(const PlanStep& s) const;
  bool is_settled_pair(const PlanStep& s) const;
  std::map<int, Path> paths_from(int value);
  Path path_to(const PlanStep& s, std::size_t operand, const Path& from);
  const Dead& dead_of(std::size_t step);
  void settle_groups(const PlanStep& s, JoinedNumbers& joined, TensorNames& open);
  bool settle_group(const Places& chosen, int value, const std::map<int, Path>& paths,
                    JoinedNumbers& joined, TensorNames& open);
  bool goes_only_to(int value, int from) const;

  const GraphClaim& claim_;
  const Tensors& inputs_;
  GraphPlan plan_;
  std::vector<std::size_t> choices_;  ///< steps
  std::map<int, Ids> ids_;            ///< equal: made in the same way of the same numbers
  std::map<std::size_t, Dead> dead_;
  bool has_truths_ = false;  ///< where they are asked for, relus of made numbers are known too
};

}  // namespace gradproof
