// SPDX-License-Identifier: Apache-2.0
#include "reports/baseline/fields_of_line.h"

#include <cmath>

#include <fmt/format.h>

#include "core/case/schema.h"
#include "core/error.h"

namespace gradproof {

std::vector<std::string> split_fields(std::string line) {
  constexpr std::string_view kBar = " | ";
  std::vector<std::string> fields;
  for (std::size_t bar = line.find(kBar); bar != std::string::npos; bar = line.find(kBar)) {
    fields.push_back(line.substr(0, bar));
    line.erase(0, bar + kBar.size());
  }
  fields.push_back(std::move(line));
  return fields;
}

std::string text_after(const std::string& word, const std::string& line) {
  if (!line.starts_with(word + " ")) throw UsageError(fmt::format("'{} ...' expected", word));
  return line.substr(word.size() + 1);
}

double number_after(const std::string& word, const std::string& line) {
  double value = 0;
  const std::string text = text_after(word, line);
  if (!parse_double(text, value) || std::isnan(value))
    throw UsageError(fmt::format("'{}' is no number", text));
  return value;
}

}  // namespace gradproof
