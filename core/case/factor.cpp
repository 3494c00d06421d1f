// SPDX-License-Identifier: Apache-2.0
#include "core/case/factor.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace gradproof {
namespace {

bool is_same_number(const std::string& a, const std::string& b) {
  double x = 0;
  double y = 0;
  if (!parse_double(a, x) || !parse_double(b, y)) return false;
  return x == y || (std::isnan(x) && std::isnan(y));
}

bool has_placed(const std::vector<PlacedNumber>& all, const PlacedNumber& wanted) {
  const auto is_there = [&](const PlacedNumber& one) {
    return one.tensor == wanted.tensor &&
           (wanted.number.empty() || is_same_number(one.number, wanted.number));
  };
  return std::any_of(all.begin(), all.end(), is_there) != wanted.number.empty();
}

}  // namespace

std::vector<PlacedNumber> placed_numbers(const Case& c) {
  std::vector<PlacedNumber> all;
  if (!c.schema().has("set")) return all;
  std::istringstream parts(c.text("set"));
  for (std::string part; std::getline(parts, part, ';');) {
    const std::size_t at = part.find('@');
    const std::size_t colon = part.rfind(':');
    if (at < colon && colon != std::string::npos)
      all.push_back({part.substr(0, at), part.substr(colon + 1)});
  }
  return all;
}

bool is_of(const Case& c, const Factor& factor, const Level& level) {
  for (const Condition& need : factor.needs)
    if (!holds(c, need)) return false;
  for (const auto& [key, text] : level.texts)
    if (!c.schema().has(key) || c.value(key) != parse_value(c.schema().key(key, text), text))
      return false;
  if (level.placed.empty()) return true;
  const std::vector<PlacedNumber> placed = placed_numbers(c);
  return std::all_of(level.placed.begin(), level.placed.end(),
                     [&](const PlacedNumber& one) { return has_placed(placed, one); });
}

}  // namespace gradproof
