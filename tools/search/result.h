// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "properties/search/search.h"
#include "tools/search/plan.h"

namespace gradproof {

/// The results of the search of one setup.
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

/// The mean, over those tensors of `of` whose bound is not 0, of their largest error/bound in
/// `peaks`; a tensor that `peaks` lacks counts as 0. It is 0 where there are no such tensors.
double mean_of(const Peaks& peaks, const Peaks& of);

/// The figures of all results.
struct SearchTotals {
  std::int64_t cases = 0, tensors = 0, failed = 0, broken = 0, incomplete = 0;
  /// Counts of the tensors in which the search came further than the random draws, and less far.
  std::int64_t further = 0, less_far = 0;
  double drawn = 0, found = 0;            ///< the largest error/bound of all
  double mean_drawn = 0, mean_found = 0;  ///< of the tensors
};
SearchTotals totals_of(const std::vector<SearchResult>& results);

/// 3 where the judge is at odds with itself, 1 where a kernel is wrong, 4 where a search decided
/// nothing, else 0.
int exit_code(const SearchTotals& totals);

/// The peaks as Cases of a file, each below a comment with its tensors, their error/bound and the
/// element, "# error/bound: d_x 0.71934 at [3,7]". A setup with trouble has no such lines.
std::vector<std::string> kept_lines(const SearchResult& result);

/// The error/bound that such a comment notes, by tensor; empty if the line is no such comment.
std::vector<std::pair<std::string, double>> noted_ratios(const std::string& line);

}  // namespace gradproof
