// SPDX-License-Identifier: Apache-2.0
#include "properties/coverage/excused_combinations.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text_file.h"

namespace gradproof {
namespace {

bool is_said(const std::string& said, const std::string& name) {
  return said == "*" || said == name;
}

}  // namespace

ExcusedCombinations::ExcusedCombinations(const std::string& path) {
  if (!std::filesystem::exists(path)) return;
  TextFile file(path);
  while (const auto text = file.next()) {
    const std::size_t hash = text->find(" # ");
    std::istringstream words(text->substr(0, hash));
    Line line{fmt::format("{}:{}", path, file.number()), {}, {}, {}};
    if (!(words >> line.kernel) || line.kernel.front() == '#') continue;
    words >> line.types;
    for (std::string level; words >> level;) line.levels.push_back(level);
    if (line.levels.empty() || hash == std::string::npos)
      throw UsageError(fmt::format("{}:{}: write KERNEL TYPES LEVEL [LEVEL [LEVEL]] # reason", path,
                                   file.number()));
    lines_.push_back(std::move(line));
  }
}

void ExcusedCombinations::excuse(const std::string& kernel, const std::string& types,
                                 Covering& covering) {
  for (const Combination& at : covering.all(Covering::State::missing)) {
    std::vector<std::string> names;
    for (const LevelId id : at) names.push_back(covering.space().name(id));
    const auto is_excused = [&](const Line& line) {
      return is_said(line.kernel, kernel) && is_said(line.types, types) &&
             std::all_of(line.levels.begin(), line.levels.end(), [&](const std::string& level) {
               return std::find(names.begin(), names.end(), level) != names.end();
             });
    };
    for (Line& line : lines_) {
      if (!is_excused(line)) continue;
      line.excuses = true;
      covering.mark(at, Covering::State::excused);
    }
  }
}

std::vector<std::string> ExcusedCombinations::idle() const {
  std::vector<std::string> places;
  for (const Line& line : lines_)
    if (!line.excuses) places.push_back(line.place);
  return places;
}

}  // namespace gradproof
