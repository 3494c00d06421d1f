// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tools/search/result.h"

namespace gradproof {

/// The lines of a search, for reading or as one JSON object each. Rows come one by one, so their
/// columns are as wide as the setups need and do not depend on the results.
class SearchText {
 public:
  SearchText(const std::vector<SearchSetup>& setups, bool json);

  /// The lines above the rows; none in JSON.
  std::vector<std::string> heading() const;
  std::vector<std::string> row(const SearchResult& result) const;
  /// The line about a search that has not ended: its worst so far, with the Case.
  std::string progress(const SearchSetup& setup, const Search& search) const;
  std::vector<std::string> end(const std::vector<SearchResult>& results, double seconds) const;

 private:
  std::string aligned(const std::vector<std::string>& cells) const;

  std::size_t widest_;  ///< name of a kernel
  bool json_;
};

}  // namespace gradproof
