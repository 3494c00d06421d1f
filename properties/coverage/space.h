// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "properties/coverage/factors.h"

namespace gradproof {

/// A level's place among all levels of all factors.
using LevelId = std::size_t;

/// All Cases of one kernel for one combination of types, as levels of factors.
class CaseSpace {
 public:
  CaseSpace(const Kernel& kernel, const Instantiation& types);

  std::size_t levels() const { return places_.size(); }
  const std::vector<Factor>& factors() const { return factors_; }
  std::size_t factor_of(LevelId id) const { return places_[id].first; }
  const Factor& factor(LevelId id) const { return factors_[factor_of(id)]; }
  const Level& level(LevelId id) const {
    return factors_[factor_of(id)].levels[places_[id].second];
  }
  /// "rows=1025"
  std::string name(LevelId id) const;
  /// The levels of the factor with that number.
  std::vector<LevelId> of_factor(std::size_t factor) const;

  /// True if the factor sets extents: rows, columns, groups.
  bool is_size(std::size_t factor) const;
  /// True if two levels alone show that no Case is of both: they set one key differently, one has
  /// no effect with the other, or the schema refuses them together.
  bool exclude_each_other(LevelId a, LevelId b) const;

  /// The levels that a Case is of, in their order; none where it is of other types.
  std::vector<LevelId> levels_of(const Case& c) const;
  /// A Case made for these levels, at most one of each factor; all else is at its default. It need
  /// not be of all of them: levels may contradict each other. Nothing if the schema refuses it.
  std::optional<Case> case_of(const std::vector<LevelId>& chosen) const;
  /// True if the Case is small enough for a suite: matrices have at most `elements`, and few where
  /// each row or column lies on a page of its own.
  static bool is_small(const Case& c, double elements);

 private:
  Case with_numbers(Case c, const std::vector<LevelId>& chosen) const;

  const Kernel& kernel_;
  Instantiation types_;
  std::vector<Factor> factors_;
  std::vector<std::pair<std::size_t, std::size_t>> places_;  ///< factor, and level of it
};

}  // namespace gradproof
