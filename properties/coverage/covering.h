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

/// The combinations of levels that a suite must have: each level alone, each pair too, or also each
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

/// Three levels in order; the second level of a pair stands twice, a single level three times.
using Combination = std::array<LevelId, 3>;

/// The combinations of one kernel and combination of types, and which of them a suite has.
class Covering {
 public:
  /// The state of a combination; for those that are wanted but not covered:
  ///   impossible  no Case is of it: the schema refuses it, or levels exclude each other
  ///   too_large   only matrices beyond the suite's size are of it
  ///   excused     the ledger says why it is not there
  enum class State : std::uint8_t { unwanted, missing, covered, impossible, too_large, excused };

  Covering(const CaseSpace& space, const Strength& strength);

  /// Adds a Case of the suite. Returns the number of combinations that the Case is the first to
  /// have.
  int add(const Case& c);
  /// The number that add() would return; nothing is added.
  int gain(const Case& c) const;
  /// The number of missing combinations that the level would make with those chosen.
  int gain(LevelId level, const std::vector<LevelId>& chosen) const;

  /// True if a Case may have the level with each one of those chosen.
  bool is_possible(LevelId level, const std::vector<LevelId>& chosen) const;

  const CaseSpace& space() const { return space_; }
  const Strength& strength() const { return strength_; }
  State state(const Combination& at) const { return states_[index(at)]; }
  void mark(const Combination& at, State state);
  /// The number of missing combinations that have the level.
  int missing_of(LevelId level) const { return missing_of_[level]; }
  std::vector<Combination> all(State state) const;
  std::size_t count(State state) const;
  /// The combination in words: "rows=1025 layout=padded".
  std::string name(const Combination& at) const;
  /// The combination's levels, each once.
  static std::vector<LevelId> levels_of(const Combination& at);
  /// True if a suite of this strength may have the Case.
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
  /// Marks as impossible the combinations in which two levels alone exclude each other.
  void mark_excluded();
  /// Visits all combinations of the levels, each once.
  void each(const std::vector<LevelId>& levels,
            const std::function<void(const Combination&)>& visit) const;

  /// Visits all combinations that the Case counts for.
  void each_of(const Case& c, const std::function<void(const Combination&)>& visit) const;

  const CaseSpace& space_;
  Strength strength_;
  std::vector<State> states_;
  std::vector<int> missing_of_;
  std::vector<bool> excluded_;  ///< by two levels, the lower one first
};

}  // namespace gradproof
