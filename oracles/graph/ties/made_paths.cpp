// SPDX-License-Identifier: Apache-2.0
// This file finds the elements of tensors from which those of a chosen value are made.
#include <algorithm>

#include "core/graph/stages.h"
#include "oracles/graph/ties/made_choices.h"

namespace gradproof {

bool MadeChoices::goes_by_element(const PlanStep& s) {
  return s.row->form == StageForm::elementwise && s.out.empty() && !chooses(s.step->stage);
}

std::size_t MadeChoices::mapped(const IndexMap& map, std::size_t i) {
  return map.empty() ? i : static_cast<std::size_t>(map[i]);
}

/// True if `from`, a tensor or a value made of it, has one element for each of `value` and goes
/// only, element by element, into `value`, and `value` only into one choice.
bool MadeChoices::goes_only_to(int value, int from) const {
  const auto count = [&](int v) { return plan_.values[static_cast<std::size_t>(v)].count; };
  if (count(from) != count(value) || has_name(claim_.graph.outputs, name_of(from))) return false;
  int takers = 0;
  for (const PlanStep& s : plan_.steps) {
    if (std::find(s.operands.begin(), s.operands.end(), from) == s.operands.end()) continue;
    ++takers;
    if (from != value && !(goes_by_element(s) && goes_only_to(value, s.value))) return false;
  }
  return takers > 0 && (from != value || takers == 1);
}

MadeChoices::Path MadeChoices::path_to(const PlanStep& s, std::size_t operand, const Path& from) {
  const Dead& dead = dead_of(place_of_step(s.value));
  Path next{{}, from.conflict};
  for (const std::int64_t place : from.places) {
    const auto i = static_cast<std::size_t>(place);
    const bool none = place == kNone || dead[i] != 0;
    next.places.push_back(none ? kNone : static_cast<std::int64_t>(mapped(s.maps[operand], i)));
  }
  return next;
}

/// The path from each tensor that leads to the value element by element.
std::map<int, MadeChoices::Path> MadeChoices::paths_from(int value) {
  std::map<int, Path> paths;
  Path& whole = paths[value];
  for (std::int64_t i = 0; i < plan_.values[static_cast<std::size_t>(value)].count; ++i)
    whole.places.push_back(i);
  for (std::size_t k = plan_.steps.size(); k-- > 0;) {
    const PlanStep& s = plan_.steps[k];
    const auto found = paths.find(s.value);
    if (found == paths.end()) continue;
    const Path path = std::move(found->second);
    paths.erase(found);
    if (!goes_by_element(s)) continue;
    for (std::size_t o = 0; o < s.operands.size(); ++o) {
      if (s.operands[o] < 0) continue;
      const Path next = path_to(s, o, path);
      const auto [known, is_new] = paths.try_emplace(s.operands[o], next);
      if (!is_new) known->second.take(next);
    }
  }
  return paths;
}

void MadeChoices::Path::take(const Path& other) {
  conflict = conflict || other.conflict;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] == kNone) places[i] = other.places[i];
    conflict = conflict || (other.places[i] != kNone && other.places[i] != places[i]);
  }
}

}  // namespace gradproof
