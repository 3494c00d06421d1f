// SPDX-License-Identifier: Apache-2.0
#include "properties/search/search.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "properties/search/vary_case.h"
#include "properties/search/vary_contents.h"

namespace gradproof {
namespace {

/// Beyond this number, one element more or less changes little of a sum.
constexpr double kFewElements = 64;
constexpr double kNearlyThere = 0.99;
constexpr std::uint64_t kGivenUp = 8;  ///< all turns of such a tensor but one of so many
constexpr int kTries = 20;             ///< for a neighbour that is another Case

void take(const Case& c, const SearchEvaluation& evaluation, Peaks& peaks) {
  for (const TensorRatio& t : evaluation.tensors) {
    Peak& peak = peaks[t.tensor];
    ++peak.cases;
    peak.elements += t.elements;
    peak.inexact = peak.inexact || t.inexact;
    if (t.elements == 0 || (peak.c && t.ratio <= peak.ratio)) continue;
    peak.ratio = t.ratio;
    peak.c = c;
    peak.at = t.at;
  }
}

}  // namespace

Case Search::draw_for_search() const {
  return gradproof::draw_for_search(task_.schema, task_.pinned, next_);
}

std::vector<std::string> Search::targets(const Elites& elites) const {
  std::vector<std::string> names;
  for (const auto& [name, peak] : found_)
    if (peak.inexact && !elites.of(name).empty()) names.push_back(name);
  return names;
}

std::optional<Case> Search::parent(const Elites& elites) {
  const std::vector<std::string> names = targets(elites);
  if (names.empty()) return std::nullopt;
  std::string name = names[turn_++ % names.size()];
  // A tensor that can hardly come further gives up most of its turns.
  for (std::size_t k = 1; k < names.size() && found_.at(name).ratio > kNearlyThere; ++k) {
    if (next_() % kGivenUp == 0) break;
    name = names[turn_++ % names.size()];
  }
  const std::vector<RatedCase>& kept = elites.of(name);
  const std::uint64_t one = next_() % kept.size();
  return kept[std::min(one, next_() % kept.size())].c;  // the better of two
}

void Search::vary_case() {
  constexpr std::uint64_t kCrossed = 4;  // one of so many
  const std::optional<Case> mother = parent(all_);
  if (!mother) return draw();
  const std::vector<std::string> names = targets(all_);
  Case child = *mother;
  for (int k = 0; k < kTries && child == *mother; ++k) {
    const std::vector<RatedCase>& fathers = all_.of(names[next_() % names.size()]);
    const Case& father = fathers[next_() % fathers.size()].c;
    child = next_() % kCrossed == 0 ? crossed(*mother, father, task_.pinned, next_)
                                    : varied(*mother, task_.pinned, next_);
  }
  look(child, Counts::for_search);
}

void Search::vary_contents() {
  const std::optional<Case> c = parent(small_);
  if (!c) return vary_case();
  look(with_changed_element(*c, task_.inputs(*c), next_), Counts::for_search);
}

void Search::look(const Case& c, Counts counts) {
  SearchEvaluation evaluation;
  try {
    evaluation = task_.evaluate(c);
  } catch (const UsageError&) {
    if (c.text("set").empty()) throw;
    // This is no Case: another key took away the tensor, or the place in it, of a set element.
  }
  if (evaluation.trouble && !trouble_) trouble_ = {c, *evaluation.trouble};
  if (counts != Counts::for_search) take(c, evaluation, drawn_);
  if (counts == Counts::for_comparison) return;
  ++cases_;
  take(c, evaluation, found_);
  for (const TensorRatio& t : evaluation.tensors) {
    if (t.elements == 0) continue;
    all_.add(t.tensor, t.ratio, c);
    if (elements_of(c) <= kFewElements) small_.add(t.tensor, t.ratio, c);
  }
}

namespace {

/// The rest of one phase's budget. The first Case is always allowed.
class PhaseBudget {
 public:
  PhaseBudget(std::int64_t cases, double seconds)
      : by_cases_(cases >= 0), cases_(cases), end_(Clock::now() + to_duration(seconds)) {}

  bool take_one() {
    if (by_cases_) return cases_-- > 0;
    const bool first = !std::exchange(begun_, true);
    return first || Clock::now() < end_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static Clock::duration to_duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  bool by_cases_;
  bool begun_ = false;
  std::int64_t cases_;
  Clock::time_point end_;
};

}  // namespace

void spend(Search& search, const SearchBudget& budget, const std::function<void()>& on_case) {
  const std::int64_t third = budget.cases / 3;
  // By the clock the draws have a fifth of the time: each other Case has a draw beside it, so all
  // three thirds of the search take as long.
  const auto phase = [&](std::int64_t cases, double fifths, const std::function<void()>& step) {
    PhaseBudget left(budget.cases > 0 ? cases : -1, budget.seconds * fifths / 5);
    while (!search.trouble() && left.take_one()) {
      step();
      on_case();
    }
  };
  phase(budget.cases - 2 * third, 1, [&] { search.draw(); });
  phase(third, 2, [&] {
    search.vary_case();
    search.draw_beside();
  });
  phase(third, 2, [&] {
    search.vary_contents();
    search.draw_beside();
  });
}

}  // namespace gradproof
