// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalog/size_levels.h"

#include <algorithm>
#include <utility>

namespace gradproof {

SizeLevels::SizeLevels(std::string key) : key_(std::move(key)) {}

void SizeLevels::add_sides(std::int64_t last) {
  add(last);
  add(last + 1);
}

void SizeLevels::add_large_sides(std::int64_t last) {
  add_large(last);
  add_large(last + 1);
}

void SizeLevels::add(std::int64_t size, bool large) {
  const auto is_it = [&](const auto& one) { return one.first == size; };
  if (std::none_of(sizes_.begin(), sizes_.end(), is_it)) sizes_.emplace_back(size, large);
}

Factor SizeLevels::factor() const {
  std::vector<std::pair<std::int64_t, bool>> sizes = sizes_;
  std::sort(sizes.begin(), sizes.end());
  Factor factor{key_, {}, {}, true};
  for (const auto& [size, large] : sizes) {
    const std::string text = std::to_string(size);
    factor.levels.push_back({text, {{key_, text}}, {}, large});
  }
  return factor;
}

}  // namespace gradproof
