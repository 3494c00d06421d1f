// SPDX-License-Identifier: Apache-2.0
#include "core/case/case_file.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/text_file.h"

namespace gradproof {

std::vector<Case> read_cases(const std::string& path, const std::vector<SchemaPtr>& schemas) {
  TextFile file(path);
  std::vector<Case> cases;
  while (const auto next = file.next()) {
    const std::string& line = *next;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    const std::size_t last = line.find_last_not_of(" \t\r");
    try {
      cases.push_back(parse_case(line.substr(first, last - first + 1), schemas));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", path, file.number(), error.what()));
    }
  }
  if (cases.empty()) throw UsageError(fmt::format("no case in {}", path));
  return cases;
}

}  // namespace gradproof
