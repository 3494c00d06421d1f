// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "cli/protocol/request.h"
#include "tools/search/result.h"

namespace gradproof {

/// The file of the worst Cases. It is written anew as each search ends, so that an interrupted run
/// leaves the Cases of the searches that had ended.
class KeptCases {
 public:
  /// No file is written if `path` is empty. Throws UsageError if the file cannot be written.
  KeptCases(std::string path, std::string how);

  void keep(const std::vector<SearchResult>& results) const;

 private:
  bool write(const std::vector<SearchResult>& results) const;

  std::string path_;
  std::string how_;
};

/// The command line that the file names.
std::string command_of(const SearchRequest& request);

}  // namespace gradproof
