// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "reports/baseline/comparison.h"

namespace gradproof {

/// The match of the tensors that only the run and only the baseline have.
struct AlikeMatch {
  AlikeCases alike;
  std::vector<std::pair<BaselineEntry, const Record*>> compared;
  std::vector<const Record*> left_out;  ///< of pairs that are not compared
  std::vector<const Record*> added;
  std::vector<BaselineEntry> missing;
};

/// Pairs the tensors of Cases that are equal but for one key, `mutant` or `seed`, whichever pairs
/// more. A mutant changes the kernel and leaves its inputs: its pairs are for comparison. Other
/// seeds make other inputs, which have other errors: these are counted and left out.
AlikeMatch match_alike(const std::vector<const Record*>& added,
                       const std::vector<BaselineEntry>& missing);

/// The kernel's word, and behind a slash its mutant where the Case has one: as in a Record.
std::string kernel_of(const std::string& case_text);

}  // namespace gradproof
