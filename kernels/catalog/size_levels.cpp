// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalog/size_levels.h"

#include <utility>

namespace gradproof {

SizeLevels::SizeLevels(std::string key) : key_(std::move(key)) {}

void SizeLevels::add(std::int64_t size) {
  const std::string text = std::to_string(size);
  levels_.try_emplace(size, Level{text, {{key_, text}}});
}

void SizeLevels::add_sides(std::int64_t last) {
  add(last);
  add(last + 1);
}

void SizeLevels::add_large(std::int64_t size) {
  add(size);
  levels_.at(size).large = true;
}

void SizeLevels::add_large_sides(std::int64_t last) {
  add_large(last);
  add_large(last + 1);
}

void SizeLevels::add_columns_over_grid(std::int64_t size) {
  add_large(size);
  levels_.at(size).texts.push_back({"rows", "2"});
  levels_.at(size).texts.push_back({"op", "forward"});
  levels_.at(size).elements = kOverGridElements;
}

Factor SizeLevels::factor() const {
  Factor factor{key_, {}, {}, true};
  for (const auto& [size, level] : levels_) factor.levels.push_back(level);
  return factor;
}

}  // namespace gradproof
