// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "reports/runs/sealed_line.h"
#include "tests/support/cli_support.h"

namespace gradproof {

/// A case file of so many Cases of the fake worker.
inline std::string case_file(const std::string& folder, int cases,
                             const std::string& behaviour = "pass") {
  std::ofstream file(folder + "/some.cases");
  for (int i = 0; i < cases; ++i)
    file << "sample behave=" << behaviour << " seed=" << i + 1 << "\n";
  return folder + "/some.cases";
}

/// The lines of a file in order, the whole of them that `wanted` picks.
template <class Wanted>
std::vector<std::string> sorted_lines(const std::string& text, Wanted wanted) {
  std::istringstream all(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(all, line);)
    if (!all.eof() && wanted(line)) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// The Records of all runs of a folder, sorted; torn lines are none.
inline std::vector<std::string> all_records(const std::string& folder) {
  std::vector<std::string> all;
  for (const std::string& path : run_files(folder))
    for (std::string& line : sorted_lines(text_of(path), [](const std::string& text) {
           return text.starts_with(R"({"schema_version")");
         }))
      all.push_back(std::move(line));
  std::sort(all.begin(), all.end());
  return all;
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// Text without what tells two runs apart that found the same: ids, times, memory, checksums.
inline std::string timeless(std::string text) {
  for (const char* pattern : {R"(\d{8}T\d{6}\.\d{3}Z-[0-9a-f]+)", R"(\d{4}-\d\d-\d\dT[0-9:.]+Z)",
                              R"("seconds":[0-9.e-]+)", R"(seconds=[0-9.]+)",
                              R"("merges":\[[^\]]*\])", R"("crc":"[0-9a-f]{8}")", R"([0-9.]+ GiB)"})
    text = std::regex_replace(text, std::regex(pattern), "-");
  return text;
}

/// A line of a run with a part of its text replaced, and the checksum of what it then says.
inline std::string resealed(const std::string& line, const std::string& from,
                            const std::string& to) {
  std::string object = line.substr(0, line.rfind(R"(,"crc")")) + "}";
  if (const std::size_t at = object.find(from); at != std::string::npos)
    object.replace(at, from.size(), to);
  return sealed(object);
}

}  // namespace gradproof
