// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/ties/made_choices.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "core/graph/stages.h"
#include "oracles/graph/ties/value_intervals.h"

namespace gradproof {
namespace {

GraphPlan plan_of(const GraphClaim& claim) {
  const std::string axis = block_axis(claim.graph, claim.extents);
  return {claim.graph, claim.extents, axis.empty() ? 1 : claim.extents.at(axis),
          [](double number) { return number; }};
}

/// A hash step by Steele, Lea and Flood, Fast splittable pseudorandom number generators (2014).
std::uint64_t mixed(std::uint64_t state, std::uint64_t more) {
  std::uint64_t z = (state ^ more) + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// True if no element is in two groups, as it may be in overlapping windows.
bool are_apart(const std::vector<std::vector<std::int64_t>>& groups, std::size_t count) {
  std::vector<char> seen(count, 0);
  for (const auto& group : groups)
    for (const std::int64_t i : group)
      if (std::exchange(seen[static_cast<std::size_t>(i)], 1) != 0) return false;
  return true;
}

}  // namespace

bool is_given(const Graph& graph, const GraphOperand& operand) {
  return std::any_of(graph.tensors.begin(), graph.tensors.end(), [&](const GraphTensor& t) {
    return t.name == operand.name && t.part != TensorPart::value && has_gradient(t.part);
  });
}

MadeChoices::MadeChoices(const GraphClaim& claim, const Tensors& inputs)
    : claim_(claim), inputs_(inputs), plan_(plan_of(claim)) {
  const auto is_made = [&](const GraphOperand& o) { return !is_given(claim.graph, o); };
  for (std::size_t k = 0; k < claim.graph.steps.size(); ++k) {
    const GraphStep& s = claim.graph.steps[k];
    if (chooses(s.stage) && std::any_of(s.operands.begin(), s.operands.end(), is_made))
      choices_.push_back(k);
  }
}

bool MadeChoices::may_tie() {
  for (const std::size_t k : choices_) {
    const PlanStep& s = plan_.steps[k];
    if (is_pair(s)) continue;
    const Ids& ids = ids_of(s.operands.front());
    for (const Places& group : groups_of(s)) {
      Ids of_group;
      for (const std::int64_t i : group) of_group.push_back(ids[static_cast<std::size_t>(i)]);
      std::sort(of_group.begin(), of_group.end());
      if (std::adjacent_find(of_group.begin(), of_group.end()) != of_group.end()) return true;
    }
  }
  return false;
}

TensorNames MadeChoices::settle(JoinedNumbers& joined) {
  TensorNames open;
  has_truths_ = true;
  ids_.clear();
  dead_.clear();
  for (const std::size_t k : choices_) {
    const PlanStep& s = plan_.steps[k];
    if (!is_pair(s))
      settle_groups(s, joined, open);
    else if (!is_settled_pair(s))
      open.merge(made_of(s));
  }
  return open;
}

void MadeChoices::settle_groups(const PlanStep& s, JoinedNumbers& joined, TensorNames& open) {
  const int value = s.operands.front();
  const Intervals all = intervals_of(claim_, inputs_, name_of(value));
  const std::map<int, Path> paths = paths_from(value);
  const std::vector<Places> groups = groups_of(s);
  const bool apart = are_apart(groups, all.size());
  bool settled = true;
  for (const Places& group : groups) {
    const auto chosen = possible_extremes(all, group, s.step->stage == "min");
    const bool one =
        chosen && (apart ? settle_group(*chosen, value, paths, joined, open) : chosen->size() < 2);
    settled = settled && one;
  }
  if (settled) return;
  TensorNames unknown = made_of(s);
  // If each element is in one group alone, the shares of the other groups are all known.
  for (const auto& [tensor, path] : paths)
    if (apart && !path.conflict && goes_only_to(value, tensor)) unknown.erase(name_of(tensor));
  open.merge(unknown);
}

/// False if the chosen elements are not all made in the same way.
bool MadeChoices::settle_group(const Places& chosen, int value, const std::map<int, Path>& paths,
                               JoinedNumbers& joined, TensorNames& open) {
  const Ids& ids = ids_of(value);
  const auto id = [&](std::int64_t i) { return ids[static_cast<std::size_t>(i)]; };
  if (std::any_of(chosen.begin(), chosen.end(),
                  [&](std::int64_t i) { return id(i) != id(chosen.front()); }))
    return false;
  if (chosen.size() < 2) return true;
  for (const auto& [tensor, path] : paths) {
    std::set<std::int64_t> elements;
    for (const std::int64_t i : chosen) elements.insert(path.places[static_cast<std::size_t>(i)]);
    elements.erase(kNone);
    std::vector<TiedNumber> tied;
    for (const std::int64_t element : elements)
      tied.push_back({static_cast<std::size_t>(tensor), element});
    if (path.conflict || (tied.size() > 1 && !goes_only_to(value, tensor)))
      open.insert(name_of(tensor));
    else if (tied.size() > 1)
      joined.join(tied, true);
  }
  return true;
}

/// True if it is known for each element which of the two is chosen.
bool MadeChoices::is_settled_pair(const PlanStep& s) const {
  const auto count = static_cast<std::size_t>(s.space);
  std::vector<Intervals> of_operands;
  for (std::size_t k = 0; k < 2; ++k)
    of_operands.push_back(s.operands[k] < 0
                              ? Intervals(count, interval_of(claim_, s.numbers[k]))
                              : intervals_of(claim_, inputs_, name_of(s.operands[k])));
  for (std::size_t i = 0; i < count; ++i) {
    const Interval& a = of_operands[0][s.operands[0] < 0 ? i : mapped(s.maps[0], i)];
    const Interval& b = of_operands[1][s.operands[1] < 0 ? i : mapped(s.maps[1], i)];
    if (!(a.high < b.low) && !(b.high < a.low)) return false;
  }
  return true;
}

const MadeChoices::Ids& MadeChoices::ids_of(int value) {
  if (const auto found = ids_.find(value); found != ids_.end()) return found->second;
  if (!plan_.is_tensor(value)) return ids_[value] = ids_of_step(place_of_step(value));
  const Tensor& tensor = get(inputs_, name_of(value));
  std::vector<double> numbers(static_cast<std::size_t>(tensor.numel()));
  tensor.read(0, 1, tensor.numel(), numbers.data());
  Ids ids;
  for (const double number : numbers) ids.push_back(std::bit_cast<std::uint64_t>(number));
  return ids_[value] = std::move(ids);
}

MadeChoices::Ids MadeChoices::ids_of_step(std::size_t step) {
  const PlanStep& s = plan_.steps[step];
  const auto& value = plan_.values[static_cast<std::size_t>(s.value)];
  Ids ids(static_cast<std::size_t>(value.count), mixed(step, 0));
  if (!goes_by_element(s)) {
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = mixed(ids[i], i);
    return ids;
  }
  for (std::size_t k = 0; k < s.operands.size(); ++k) {
    const bool is_number = s.operands[k] < 0;
    const std::uint64_t number = is_number ? std::bit_cast<std::uint64_t>(s.numbers[k]) : 0;
    const Ids* const from = is_number ? nullptr : &ids_of(s.operands[k]);
    for (std::size_t i = 0; i < ids.size(); ++i)
      ids[i] = mixed(ids[i], is_number ? number : (*from)[mapped(s.maps[k], i)]);
  }
  const Dead& dead = dead_of(step);
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (dead[i] != 0) ids[i] = mixed(step, 1);
  return ids;
}

std::vector<MadeChoices::Places> MadeChoices::groups_of(const PlanStep& s) const {
  std::vector<Places> all;
  for (std::int64_t g = 0; g < s.groups.count; ++g) {
    const std::int32_t* const members = s.groups.members_of(g);
    all.emplace_back(members, members + s.groups.length);
  }
  for (std::size_t i = 0; i + 1 < s.window_first.size(); ++i)
    all.emplace_back(s.window.begin() + s.window_first[i],
                     s.window.begin() + s.window_first[i + 1]);
  return all;
}

TensorNames MadeChoices::made_of(const PlanStep& s) const {
  TensorNames all;
  for (const int operand : s.operands) {
    if (operand < 0) continue;
    if (plan_.is_tensor(operand))
      all.insert(name_of(operand));
    else
      all.merge(made_of(plan_.steps[place_of_step(operand)]));
  }
  return all;
}

const MadeChoices::Dead& MadeChoices::dead_of(std::size_t step) {
  if (const auto found = dead_.find(step); found != dead_.end()) return found->second;
  const PlanStep& s = plan_.steps[step];
  Dead dead(static_cast<std::size_t>(s.space), 0);
  const bool is_relu = s.step->stage == "relu";
  const int operand = s.operands.front();
  if (is_relu && (has_truths_ || plan_.is_tensor(operand))) {
    const Intervals all = intervals_of(claim_, inputs_, name_of(operand));
    for (std::size_t i = 0; i < dead.size(); ++i)
      dead[i] = all[mapped(s.maps.front(), i)].high < 0 ? 1 : 0;
  }
  return dead_[step] = std::move(dead);
}

}  // namespace gradproof
