// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "oracles/diagnosis/observation.h"

namespace gradproof::diagnosis {

/// Counts over all entries of the gradient.
struct Overview {
  std::int64_t wrong = 0;
  std::int64_t nonfinite = 0;         ///< wrong entries that are NaN or infinite
  std::int64_t poisoned = 0;          ///< wrong entries that hold the bytes of unwritten memory
  double most_bits = 0;               ///< Fit::bits that the best explanation could have
  std::vector<std::int64_t> worst;    ///< indices of up to 8 wrong entries, the worst first
  std::string pattern;                ///< where the wrong entries are
  std::vector<std::int64_t> columns;  ///< columns with a wrong entry
  std::map<std::int64_t, std::int64_t> by_block;  ///< wrong entries in each block
  /// Wrong entries in each unit row groups + group, of a matrix in a claim with groups.
  std::vector<std::int64_t> by_unit;
  Answer answer;
  ComparedEntries entries;  ///< all, by index; none where they are too many
};
Overview overview_of(const Question& question);

/// The simplest explanations that hold for the whole gradient, as text; empty: none holds.
std::string explanation_text(const Question& question, const Overview& overview);

/// Parts that together are the whole claim; each is small where the units are small.
std::vector<Part> parts_of(const Question& question);

/// The part on which explanations are tested first; those that fit are verified on all entries. It
/// is where most entries are wrong: whole blocks, or rows or columns of one block. For a gradient
/// of one number it is everything.
Part sample_of(const Question& question, const Overview& overview);

}  // namespace gradproof::diagnosis
