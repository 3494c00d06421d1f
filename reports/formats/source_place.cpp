// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/source_place.h"

#include <cctype>
#include <fstream>
#include <sstream>

namespace gradproof {
namespace {

bool is_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_whole(const std::string& line, const std::string& word) {
  for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || !is_of_a_name(line[at - 1]);
    if (starts && (end == line.size() || !is_of_a_name(line[end]))) return true;
  }
  return false;
}

bool is_code(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string::npos && line.compare(first, 2, "//") != 0 && line[first] != '*' &&
         line.compare(first, 2, "/*") != 0 && line.compare(first, 8, "#include") != 0;
}

}  // namespace

std::int64_t line_of_word(const std::string& source, const std::string& word) {
  if (word.empty()) return 0;
  std::istringstream lines(source);
  std::int64_t number = 0, part = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!is_code(line)) continue;
    if (has_whole(line, word)) return number;
    if (part == 0 && line.find(word) != std::string::npos) part = number;
  }
  return part;
}

SourcePlace source_place(const Report& report, const std::string& kernel) {
  SourcePlace place{source_of(report, kernel), 0};
  if (place.file.empty()) return place;
  if (std::ifstream file(place.file); file) {
    std::ostringstream text;
    text << file.rdbuf();
    place.line = line_of_word(text.str(), kernel.substr(0, kernel.find('/')));
  }
  return place;
}

}  // namespace gradproof
