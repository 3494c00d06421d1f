// SPDX-License-Identifier: Apache-2.0
#include "tools/search/kept.h"

#include <fstream>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {

KeptCases::KeptCases(std::string path, std::string how)
    : path_(std::move(path)), how_(std::move(how)) {
  if (!path_.empty() && !write({}))
    throw UsageError(fmt::format("--keep '{}' cannot be written", path_));
}

void KeptCases::keep(const std::vector<SearchResult>& results) const {
  if (!path_.empty() && !write(results))
    throw InstrumentError(fmt::format("cannot write {}", path_));
}

bool KeptCases::write(const std::vector<SearchResult>& results) const {
  std::ofstream file(path_);
  file << "# The Cases with the largest error/bound that a search found, for each kernel, its "
          "types and "
          "each tensor (docs/search.md).\n"
       << "# Written by: " << how_ << "\n";
  for (const SearchResult& result : results) {
    const std::vector<std::string> lines = kept_lines(result);
    if (lines.empty()) continue;
    file << fmt::format("\n# {} {}\n", result.setup.name, result.setup.dtype);
    for (const std::string& line : lines) file << line << "\n";
  }
  file.flush();
  return file.good();
}

std::string command_of(const SearchRequest& request) {
  std::string text = "gradproof search";
  for (const std::string& kernel : request.kernels) text += " " + kernel;
  if (!request.dtype.empty()) text += " --dtype " + request.dtype;
  text += request.cases > 0 ? fmt::format(" --cases {}", request.cases)
                            : fmt::format(" --seconds {}", request.seconds);
  return text + fmt::format(" --seed {} --keep {}", request.seed, request.keep);
}

}  // namespace gradproof
