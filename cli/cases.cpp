// SPDX-License-Identifier: Apache-2.0
#include "cli/cases.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/memory.h"
#include "cli/places.h"
#include "core/error.h"

namespace gradproof {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

std::string suite_file(const std::string& name) {
  const std::string path = fmt::format("{}/{}.cases", suites_directory(), name);
  if (name.find('/') != std::string::npos || !std::filesystem::exists(path))
    throw UsageError(fmt::format("unknown suite '{}'; known in {}: {}", name, suites_directory(),
                                 fmt::join(known_suites(), " ")));
  return path;
}

/// The Case with every `--with KEY=VALUE` applied.
Case with_changes(const Case& c, const std::vector<std::string>& changes) {
  Case changed = c;
  for (const std::string& change : changes) {
    const std::size_t equals = change.find('=');
    if (equals == std::string::npos)
      throw UsageError(fmt::format("'{}' after --with is no key=value", change));
    const std::string key = change.substr(0, equals);
    c.schema().key(key, "--with " + change);
    changed = changed.with(key, std::string_view(change).substr(equals + 1));
  }
  if (const std::string refusal = refusal_of(changed); !refusal.empty())
    throw UsageError(fmt::format("{} in '{}'", refusal, to_string(changed)));
  return changed;
}

std::vector<Case> written_cases(const Options& o, const std::vector<SchemaPtr>& schemas) {
  if (!o.cases_file.empty()) return read_cases(o.cases_file, schemas);
  if (!o.suite.empty()) return read_cases(suite_file(o.suite), schemas);
  std::vector<Case> cases;
  for (const std::string& text : o.cases) cases.push_back(parse_case(text, schemas));
  return cases;
}

}  // namespace

void require_one_source(const Options& o) {
  const int sources = !o.cases.empty() + !o.cases_file.empty() + !o.suite.empty();
  if (sources == 1) return;
  throw UsageError(fmt::format("{}; give either CASE..., --cases FILE or --suite NAME",
                               sources == 0 ? "no case" : "cases from two places"));
}

std::vector<Case> planned_cases(const Options& o, const std::vector<SchemaPtr>& schemas) {
  const double available = o.memory > 0 ? o.memory * kGiB : available_memory();
  std::vector<Case> planned;
  for (const Case& c : written_cases(o, schemas)) {
    planned.push_back(with_changes(c, o.changes));
    refuse_if_too_large(planned.back(), available);
  }
  return planned;
}

std::vector<Case> read_cases(const std::string& path, const std::vector<SchemaPtr>& schemas) {
  if (std::filesystem::is_directory(path))
    throw UsageError(fmt::format("cannot read '{}': Is a directory", path));
  std::ifstream file(path);
  if (!file) throw UsageError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::vector<Case> cases;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    const std::size_t last = line.find_last_not_of(" \t\r");
    try {
      cases.push_back(parse_case(line.substr(first, last - first + 1), schemas));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  if (cases.empty()) throw UsageError(fmt::format("no case in {}", path));
  return cases;
}

std::string suites_directory() { return program_directory() + "/../share/gradproof/cases"; }

std::vector<std::string> known_suites() {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(suites_directory(), absent))
    if (entry.path().extension() == ".cases") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace gradproof
