// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "properties/coverage/space.h"

namespace gradproof {

/// Which combinations of levels a suite must have: each level alone, each pair too, or also each
/// three of factors on which the path depends. A level that needs a large matrix is wanted alone in
/// the first two, in pairs in the third.
struct Strength {
  int together = 1;     ///< levels that a combination has at most
  double elements = 0;  ///< of the largest matrix
  double large = 0;     ///< of one that is large for a level's sake
};
inline constexpr Strength kSingles{1, 8600, 66000};
inline constexpr Strength kPairs{2, 8600, 66000};
inline constexpr Strength kTriples{3, 33000, 132000};

/// Three levels in order; of a pair the second stands twice, of a single level all are it.
using Combination = std::array<LevelId, 3>;

/// The combinations of one kernel and combination of types, and which of them a suite has.
class Covering {
 public:
  /// Where a wanted combination stands.
  ///   impossible  no Case is of it: the schema refuses it, or levels exclude each other
  ///   too_large   only matrices beyond the suite's size are of it
  ///   excused     the ledger says why it is not there
  enum class State : std::uint8_t { unwanted, missing, covered, impossible, too_large, excused };

  Covering(const CaseSpace& space, const Strength& strength);

  /// Takes a Case of the suite in. The result is the number of combinations that it is first to
  /// have.
  int add(const Case& c);
  /// The same number, and nothing is taken in.
  int gain(const Case& c) const;
  /// How many missing combinations a level would make with those chosen.
  int gain(LevelId level, const std::vector<LevelId>& chosen) const;

  /// Whether a Case may have the level with each one of those.
  bool is_possible(LevelId level, const std::vector<LevelId>& chosen) const;

  const CaseSpace& space() const { return space_; }
  const Strength& strength() const { return strength_; }
  State state(const Combination& at) const { return states_[index(at)]; }
  void mark(const Combination& at, State state);
  /// How many missing combinations have the level.
  int missing_of(LevelId level) const { return missing_of_[level]; }
  std::vector<Combination> all(State state) const;
  std::size_t count(State state) const;
  /// "rows=1025 layout=padded"
  std::string name(const Combination& at) const;
  /// Its levels, each once.
  static std::vector<LevelId> levels_of(const Combination& at);
  /// Whether a suite of this strength may have the Case.
  bool is_small(const Case& c) const;
  bool has(const Case& c, const Combination& at) const;

 private:
  std::size_t index(const Combination& at) const {
    return (at[0] * space_.levels() + at[1]) * space_.levels() + at[2];
  }
  bool is_wanted(const Combination& at) const;
  bool is_by_threes() const { return strength_.together > 2; }
  bool exclude_each_other(LevelId a, LevelId b) const {
    return excluded_[std::min(a, b) * space_.levels() + std::max(a, b)];
  }
  /// What two levels alone exclude is impossible.
  void mark_excluded();
  /// All combinations of the levels, each once.
  void each(const std::vector<LevelId>& levels,
            const std::function<void(const Combination&)>& visit) const;

  /// All combinations that the Case counts for.
  void each_of(const Case& c, const std::function<void(const Combination&)>& visit) const;

  const CaseSpace& space_;
  Strength strength_;
  std::vector<State> states_;
  std::vector<int> missing_of_;
  std::vector<bool> excluded_;  ///< by two levels, the lower one first
};

}  // namespace gradproof
