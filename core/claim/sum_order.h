// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace gradproof {

/// The order in which code adds up, where the code declares it for sums of any length N.
///   any       N-1 additions one after the other are the longest chain
///   pairwise  a binary tree over all numbers
///   lanes     L sequential sums, joined by a binary tree
///   blocks    of B numbers each in any order, and their sums in any order
///   chain     so that no number goes through more than G additions
struct SumOrder {
  enum class Kind { any, pairwise, lanes, blocks, chain };
  Kind kind = Kind::any;
  std::int64_t count = 1;  ///< L, B or G

  /// The longest chain of inexact additions in a sum of `length` numbers. It grows with `length`.
  std::int64_t chain_of(std::int64_t length) const;
  /// The order in words: "in any order", "in 32 lanes and a tree".
  std::string text() const;
  friend bool operator==(const SumOrder&, const SumOrder&) = default;
};

}  // namespace gradproof
