// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/claim/claim.h"

namespace gradproof {

/// The elements that LibTorch is asked about at a time: LibTorch takes about ten float64 tensors of
/// this size, the oracle's Answers four times that.
inline constexpr std::int64_t kWitnessedElements = std::int64_t{1} << 20;

/// LibTorch's answer about one tensor against the oracle's.
struct Agreement {
  double digits = 0;  ///< judge/agreement.h
  double ratio = 0;   ///< largest error/bound
  std::int64_t bad = 0;
};

/// The answers of LibTorch's float64 autograd about the oracle.
struct CrossCheck {
  /// "LibTorch float64", and how much of the claim it was asked about; empty where there is none.
  std::string asked = {};
  /// LibTorch's answer and the oracle's, for each tensor about which they disagree.
  std::map<std::string, std::string, std::less<>> texts = {};
  std::map<std::string, Agreement, std::less<>> agreements = {};  ///< of every tensor
};

/// Asks LibTorch about the whole of a small claim, and about some blocks of a large one, which the
/// seed draws, the first and the last among them.
CrossCheck cross_check(const Claim& claim, const Tensors& inputs, std::uint64_t seed);

/// The blocks, in order, about which a witness for `elements` elements is asked: all where they
/// fit, else at least three, the first and the last among them.
std::vector<std::int64_t> sampled_blocks(const Claim& claim, std::int64_t elements,
                                         std::uint64_t seed);

}  // namespace gradproof
