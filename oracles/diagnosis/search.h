// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "oracles/diagnosis/hypotheses.h"

namespace gradproof::diagnosis {

struct Tested {
  Hypothesis hypothesis;
  std::size_t index = 0;  ///< among all hypotheses
  Fit fit = {};
};

/// The tested hypotheses that are left, and the simplest rank of those not tested.
struct Search {
  std::vector<Tested> left;
  std::optional<Rank> cut = {};
  std::vector<char> moving = {};  ///< by the index of a hypothesis

  /// So many were tested until this one that could have explained the entries by chance.
  std::int64_t place(const Tested& one) const {
    const auto end = moving.begin() + static_cast<std::ptrdiff_t>(one.index);
    return 1 + std::count(moving.begin(), end, 1) + one.hypothesis.tried;
  }
};

/// Tests the hypotheses about a wrong tensor in their order, first on samples of it, each larger
/// than the one before, as long as `numbers` lasts, and keeps those that explain it. Those used are
/// subtracted.
Search searched(const WrongTensor& whole, double& numbers);

/// True of hypotheses whose coefficients are fitted.
inline bool is_fitted(Rank rank) { return rank >= Rank::fit; }

}  // namespace gradproof::diagnosis
