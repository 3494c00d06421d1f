// SPDX-License-Identifier: Apache-2.0
#include "properties/coverage/covering.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gradproof {

Covering::Covering(const CaseSpace& space, const Strength& strength)
    : space_(space),
      strength_(strength),
      states_(space.levels() * space.levels() * space.levels(), State::unwanted),
      missing_of_(space.levels()),
      excluded_(space.levels() * space.levels()) {
  std::vector<LevelId> every(space.levels());
  for (LevelId id = 0; id < every.size(); ++id) every[id] = id;
  each(every, [&](const Combination& at) {
    if (is_wanted(at)) mark(at, State::missing);
  });
  mark_excluded();
}

void Covering::mark_excluded() {
  const std::size_t n = space_.levels();
  for (LevelId a = 0; a < n; ++a)
    for (LevelId b = a + 1; b < n; ++b) excluded_[a * n + b] = space_.exclude_each_other(a, b);
  for (const Combination& at : all(State::missing)) {
    const auto [a, b, c] = at;
    if (exclude_each_other(a, b) || exclude_each_other(b, c) || exclude_each_other(a, c))
      mark(at, State::impossible);
  }
}

void Covering::mark(const Combination& at, State state) {
  State& now = states_[index(at)];
  const int more = (state == State::missing ? 1 : 0) - (now == State::missing ? 1 : 0);
  for (const LevelId id : levels_of(at)) missing_of_[id] += more;
  now = state;
}

bool Covering::is_wanted(const Combination& at) const {
  const auto [a, b, c] = at;
  if (a == b) return true;
  if (space_.factor_of(a) == space_.factor_of(b)) return false;
  if (strength_.together == 1) return false;
  if (b == c) return is_by_threes() || (!space_.level(a).large && !space_.level(b).large);
  if (space_.factor_of(b) == space_.factor_of(c) || space_.factor_of(a) == space_.factor_of(c))
    return false;
  return space_.factor(a).path && space_.factor(b).path && space_.factor(c).path &&
         !space_.level(a).large && !space_.level(b).large && !space_.level(c).large;
}

void Covering::each(const std::vector<LevelId>& levels,
                    const std::function<void(const Combination&)>& visit) const {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    visit({levels[i], levels[i], levels[i]});
    for (std::size_t j = i + 1; j < levels.size(); ++j) {
      visit({levels[i], levels[j], levels[j]});
      for (std::size_t k = j + 1; is_by_threes() && k < levels.size(); ++k)
        visit({levels[i], levels[j], levels[k]});
    }
  }
}

void Covering::each_of(const Case& c, const std::function<void(const Combination&)>& visit) const {
  const std::vector<LevelId> levels = space_.levels_of(c);
  const auto hides = [&](LevelId id) { return space_.level(id).hides_a_stage; };
  const bool hidden = std::any_of(levels.begin(), levels.end(), hides);
  each(levels, [&](const Combination& at) {
    if (!hidden || std::any_of(at.begin(), at.end(), hides)) visit(at);
  });
}

int Covering::add(const Case& c) {
  int first = 0;
  each_of(c, [&](const Combination& at) {
    if (state(at) == State::unwanted || state(at) == State::covered) return;
    mark(at, State::covered);
    ++first;
  });
  return first;
}

int Covering::gain(const Case& c) const {
  int missing = 0;
  each_of(c, [&](const Combination& at) { missing += state(at) == State::missing ? 1 : 0; });
  return missing;
}

int Covering::gain(LevelId level, const std::vector<LevelId>& chosen) const {
  const auto is_missing = [&](Combination at) {
    std::sort(at.begin(), at.end());
    return state(at) == State::missing ? 1 : 0;
  };
  int missing = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const LevelId low = std::min(level, chosen[i]);
    const LevelId high = std::max(level, chosen[i]);
    missing += state({low, high, high}) == State::missing ? 1 : 0;
    for (std::size_t j = i + 1; is_by_threes() && j < chosen.size(); ++j)
      missing += is_missing({level, chosen[i], chosen[j]});
  }
  return missing;
}

bool Covering::is_possible(LevelId level, const std::vector<LevelId>& chosen) const {
  return std::none_of(chosen.begin(), chosen.end(), [&](LevelId other) {
    const LevelId high = std::max(level, other);
    const State found = state({std::min(level, other), high, high});
    return exclude_each_other(level, other) || found == State::impossible ||
           found == State::too_large;
  });
}

std::vector<Combination> Covering::all(State wanted) const {
  std::vector<Combination> found;
  const std::size_t n = space_.levels();
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (states_[i] == wanted) found.push_back({i / (n * n), i / n % n, i % n});
  return found;
}

std::size_t Covering::count(State state) const {
  return static_cast<std::size_t>(std::count(states_.begin(), states_.end(), state));
}

std::vector<LevelId> Covering::levels_of(const Combination& at) {
  std::vector<LevelId> levels{at[0]};
  if (at[1] != at[0]) levels.push_back(at[1]);
  if (at[2] != at[1]) levels.push_back(at[2]);
  return levels;
}

std::string Covering::name(const Combination& at) const {
  std::vector<std::string> names;
  for (const LevelId id : levels_of(at)) names.push_back(space_.name(id));
  return fmt::format("{}", fmt::join(names, " "));
}

bool Covering::is_small(const Case& c) const {
  double elements = strength_.elements;
  for (const LevelId id : space_.levels_of(c))
    if (space_.level(id).large)
      elements = std::max({elements, strength_.large, space_.level(id).elements});
  return CaseSpace::is_small(c, elements);
}

bool Covering::has(const Case& c, const Combination& at) const {
  bool counts = false;
  each_of(c, [&](const Combination& held) { counts = counts || held == at; });
  return counts;
}

}  // namespace gradproof
