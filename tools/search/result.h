// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "properties/search/search.h"
#include "tools/search/plan.h"

namespace gradproof {

/// What the search of one setup found.
struct SearchResult {
  SearchSetup setup;
  Peaks drawn;  ///< by as many random Cases as the search judged
  Peaks found;  ///< by the search
  std::int64_t cases = 0;
  std::optional<Search::TroubledCase> trouble = {};
  std::optional<Case> simplest = {};  ///< with the same trouble
};

/// The tensor with the largest error/bound, of those whose bound is not 0; end() where none is.
Peaks::const_iterator worst_of(const Peaks& peaks);

/// The mean of the largest error/bound of each tensor whose bound is not 0, over those of `of`: a
/// tensor that the peaks lack counts as 0. 0 where there are none.
double mean_of(const Peaks& peaks, const Peaks& of);

/// All results in figures.
struct SearchTotals {
  std::int64_t cases = 0, tensors = 0, failed = 0, broken = 0, incomplete = 0;
  /// Tensors in which the search came further than the random draws, and less far.
  std::int64_t further = 0, less_far = 0;
  double drawn = 0, found = 0;            ///< the largest error/bound of all
  double mean_drawn = 0, mean_found = 0;  ///< of the tensors
};
SearchTotals totals_of(const std::vector<SearchResult>& results);

/// 3 where the judge is at odds with itself, 1 where a kernel is wrong, 4 where a search decided
/// nothing.
int exit_code(const SearchTotals& totals);

/// The peaks as Cases of a file: each behind a comment with its tensors, their error/bound and the
/// element, "# error/bound: d_x 0.71934 at [3,7]". Nothing of a setup with trouble.
std::vector<std::string> kept_lines(const SearchResult& result);

/// The error/bound that such a comment notes, by tensor; nothing where the line is none.
std::vector<std::pair<std::string, double>> noted_ratios(const std::string& line);

}  // namespace gradproof
