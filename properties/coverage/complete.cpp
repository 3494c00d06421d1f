// SPDX-License-Identifier: Apache-2.0
#include "properties/coverage/complete.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gradproof {
namespace {

constexpr int kCandidates = 24;    ///< of which the best becomes a line
constexpr int kSparse = 100;       ///< plain Cases, of few levels, where no candidate can be
constexpr int kTrials = 12;        ///< candidates that are judged before plain Cases are
constexpr std::size_t kSmall = 4;  ///< levels of a size that are small, the first ones
constexpr int kGrowth = 3;         ///< levels of one factor that are judged while a Case grows

template <class T>
void shuffle(std::vector<T>& all, const RandomBits& next) {
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[next() % i]);
}

class Candidates {
 public:
  Candidates(const Covering& covering, const RandomBits& next) : covering_(covering), next_(next) {}

  struct Candidate {
    int gain = 0;  ///< missing combinations that the Case has
    Case c;
    std::vector<LevelId> chosen;  ///< what it was made for
  };

  struct Search {
    std::vector<Candidate> found;  ///< the most gain first
    bool too_large = false;        ///< one was, and nothing else was wrong with it
  };

  /// At most `most` Cases of the combination, those that have the most other missing combinations.
  Search of(const Combination& at, std::size_t most) {
    Search search;
    for (int k = 0; k < kCandidates; ++k) consider(at, greedy(at), search);
    std::stable_sort(search.found.begin(), search.found.end(),
                     [](const auto& a, const auto& b) { return a.gain > b.gain; });
    if (search.found.size() > most)
      search.found.erase(search.found.begin() + std::ptrdiff_t(most), search.found.end());
    return search;
  }

  /// At most `most` Cases of the combination with few other levels.
  Search plain_of(const Combination& at, std::size_t most) {
    Search search;
    for (int k = 0; k < kSparse && search.found.size() < most; ++k)
      consider(at, sparse(at, k), search);
    return search;
  }

  /// Sets one factor after the other to a level that gives the Case more missing combinations and
  /// with which it is still accepted. Candidates of many levels may be refused because their passes
  /// prove nothing; a plain one then grows to what can be proved of the combination.
  Candidate grown(const Combination& at, Candidate from,
                  const std::function<bool(const Case&)>& accepted) {
    const std::string seed = std::to_string(from.c.integer("seed"));
    for (const std::size_t factor : open_factors(from.chosen)) {
      Search search;
      for (const LevelId id : covering_.space().of_factor(factor)) {
        std::vector<LevelId> chosen = from.chosen;
        chosen.push_back(id);
        if (!covering_.space().level(id).large && covering_.is_possible(id, from.chosen))
          consider(at, in_order(chosen), search);
      }
      std::stable_sort(search.found.begin(), search.found.end(),
                       [](const auto& a, const auto& b) { return a.gain > b.gain; });
      int trials = 0;
      for (const Candidate& next : search.found) {
        if (next.gain <= from.gain || trials++ == kGrowth) break;
        const Case seeded = next.c.with("seed", seed);
        if (!accepted(seeded)) continue;
        from = {next.gain, seeded, next.chosen};
        break;
      }
    }
    return from;
  }

 private:
  void consider(const Combination& at, const std::vector<LevelId>& chosen, Search& search) {
    const std::optional<Case> c = covering_.space().case_of(chosen);
    if (!c || !covering_.has(*c, at)) return;
    if (!covering_.is_small(*c)) {
      search.too_large = true;
      return;
    }
    search.found.push_back({covering_.gain(*c), *c, chosen});
  }

  /// The factors that the levels leave open, in a random order.
  template <class Levels>
  std::vector<std::size_t> open_factors(const Levels& levels) {
    std::vector<std::size_t> open(covering_.space().factors().size());
    std::iota(open.begin(), open.end(), std::size_t{0});
    for (const LevelId id : levels) std::erase(open, covering_.space().factor_of(id));
    shuffle(open, next_);
    return open;
  }

  /// Sets each other factor to the level that makes the most missing combinations with those
  /// before, or that has the most of them; a factor without any stays at its default.
  std::vector<LevelId> greedy(const Combination& at) {
    std::vector<LevelId> chosen = Covering::levels_of(at);
    for (const std::size_t factor : open_factors(at)) {
      std::vector<LevelId> levels = covering_.space().of_factor(factor);
      shuffle(levels, next_);
      std::erase_if(levels, [&](LevelId id) {
        return covering_.space().level(id).large || !covering_.is_possible(id, chosen);
      });
      if (levels.empty()) continue;
      const auto worth = [&](LevelId id) {
        return std::pair(covering_.gain(id, chosen), covering_.missing_of(id));
      };
      const LevelId best = *std::max_element(levels.begin(), levels.end(),
                                             [&](auto a, auto b) { return worth(a) < worth(b); });
      if (covering_.missing_of(best) > 0) chosen.push_back(best);
    }
    return in_order(chosen);
  }

  /// Leaves most factors that are still open at their defaults: the first two calls (k = 0 and 1)
  /// leave all of them there, later calls draw about a third. Every second call (odd k) sets the
  /// sizes to small ones.
  std::vector<LevelId> sparse(const Combination& at, int k) {
    std::vector<LevelId> chosen = Covering::levels_of(at);
    for (const std::size_t factor : open_factors(at)) {
      const bool small = k % 2 == 1 && covering_.space().is_size(factor);
      if (!small && (k < 2 || next_() % 3 != 0)) continue;
      const std::vector<LevelId> levels = covering_.space().of_factor(factor);
      chosen.push_back(levels[next_() % (small ? std::min(kSmall, levels.size()) : levels.size())]);
    }
    return in_order(chosen);
  }

  static std::vector<LevelId> in_order(std::vector<LevelId> ids) {
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  const Covering& covering_;
  const RandomBits& next_;
};

Case with_seed(const Case& c, const RandomBits& next) {
  return c.with("seed", std::to_string(next() % 100000));
}

/// The first of the Cases that is accepted.
std::optional<Candidates::Candidate> first_accepted(
    const std::vector<Candidates::Candidate>& found, const RandomBits& next,
    const std::function<bool(const Case&)>& accepted) {
  for (Candidates::Candidate candidate : found) {
    candidate.c = with_seed(candidate.c, next);
    if (accepted(candidate.c)) return candidate;
  }
  return std::nullopt;
}

/// These Cases, in each place the one that has the most missing combinations; those that have none
/// by then are left out.
std::vector<CoveringLine> reduced(Covering covering, std::vector<CoveringLine> lines) {
  const auto fewer = [](const CoveringLine& a, const CoveringLine& b) {
    return a.serves < b.serves;
  };
  for (CoveringLine& line : lines) line.serves = covering.gain(line.c);
  std::vector<CoveringLine> chosen;
  while (!lines.empty()) {
    // A gain only falls, so a line that stays first with a fresh gain is the best.
    const auto best = std::max_element(lines.begin(), lines.end(), fewer);
    const int gain = covering.gain(best->c);
    if (gain == best->serves && gain > 0) {
      chosen.push_back({best->c, covering.add(best->c)});
      lines.erase(best);
    } else if (gain == 0) {
      lines.erase(best);
    } else {
      best->serves = gain;
    }
  }
  return chosen;
}

}  // namespace

void classify(Covering& covering, const RandomBits& next) {
  Candidates candidates(covering, next);
  for (const Combination& at : covering.all(Covering::State::missing)) {
    const auto search = candidates.plain_of(at, 1);
    if (search.found.empty())
      covering.mark(at,
                    search.too_large ? Covering::State::too_large : Covering::State::impossible);
  }
}

std::vector<CoveringLine> complete(Covering& covering, const RandomBits& next,
                                   const std::function<bool(const Case&)>& accepted) {
  classify(covering, next);
  const Covering before = covering;
  std::vector<CoveringLine> lines;
  Candidates candidates(covering, next);
  std::vector<Combination> missing = covering.all(Covering::State::missing);
  shuffle(missing, next);
  for (const Combination& at : missing) {
    if (covering.state(at) != Covering::State::missing) continue;
    auto taken = first_accepted(candidates.of(at, kTrials).found, next, accepted);
    if (!taken) {
      taken = first_accepted(candidates.plain_of(at, kSparse).found, next, accepted);
      if (taken) taken = candidates.grown(at, *taken, accepted);
    }
    if (taken) lines.push_back({taken->c, covering.add(taken->c)});
  }
  return reduced(before, lines);
}

}  // namespace gradproof
