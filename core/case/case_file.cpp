// SPDX-License-Identifier: Apache-2.0
#include "core/case/case_file.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "core/case/said_keys.h"
#include "core/error.h"
#include "core/text_file.h"

namespace gradproof {
namespace {

/// Throws UsageError for a byte order mark and for NUL, which editors and messages do not show.
void refuse_hidden(const std::string& line, std::int64_t number) {
  if (number == 1 && line.starts_with("\xEF\xBB\xBF"))
    throw UsageError("the file starts with a byte order mark; save it as UTF-8 without one");
  const std::size_t nul = line.find('\0');
  if (nul != std::string::npos)
    throw UsageError(fmt::format("byte {} is NUL; a case file is text", nul + 1));
}

}  // namespace

std::vector<Case> read_cases(const std::string& path, const std::vector<SchemaPtr>& schemas) {
  TextFile file(path);
  std::vector<Case> cases;
  while (const auto next = file.next()) {
    const std::string& line = *next;
    try {
      refuse_hidden(line, file.number());
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first == std::string::npos || line[first] == '#') continue;
      const std::size_t last = line.find_last_not_of(" \t\r");
      const std::string text = line.substr(first, last - first + 1);
      cases.push_back(parse_case(text, schemas));
      require_extents(text);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", path, file.number(), error.what()));
    }
  }
  if (cases.empty()) throw UsageError(fmt::format("no case in {}", path));
  return cases;
}

std::vector<std::string> suite_files(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).replace_extension();
  std::vector<std::string> files;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(folder, absent))
    if (entry.path().extension() == ".cases") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty() || std::filesystem::exists(path)) files.insert(files.begin(), path);
  return files;
}

std::vector<Case> read_suite(const std::string& path, const std::vector<SchemaPtr>& schemas) {
  std::vector<Case> cases;
  for (const std::string& file : suite_files(path)) {
    const std::vector<Case> more = read_cases(file, schemas);
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace gradproof
