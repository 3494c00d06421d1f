// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "judge/systems.h"

namespace gradproof {

/// The longest chain of additions that a source has, beside what its author declared.
struct ChainRow {
  std::string kernel;
  std::string sizes;
  std::string sums;  ///< a reduction of a kernel's contract, or the tensor of a kernel of one's own
  std::int64_t declared = 0;
  std::int64_t measured = 0;
  bool is_short = false;  ///< the declared one is shorter than the measured one
};

struct ChainTable {
  std::vector<ChainRow> rows;
  /// Kernels that are not counted, with the reason.
  std::vector<std::string> lacks;
};

/// The table has every kernel that can be compiled on counting numbers, in float32 on the executor:
/// each reduction of a kernel of this tree, at sizes on both sides of where its path changes, and
/// each tensor of a user's kernel at its default Case. With `cases` it has these alone. It throws
/// UsageError for a text that is no Case.
ChainTable chain_table(const Systems& systems, const std::vector<std::string>& cases = {});

}  // namespace gradproof
