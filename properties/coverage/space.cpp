// SPDX-License-Identifier: Apache-2.0
#include "properties/coverage/space.h"

#include <algorithm>

#include <fmt/format.h>

namespace gradproof {
namespace {

/// Rows, and columns, of a matrix in which each of them has pages of its own.
constexpr std::int64_t kGiantExtent = 5;

/// The place of a number: the last row and column of x, which lie in tails; the first column of dy,
/// so that not all of a column is both; the last number of a parameter.
std::string place_of(const TensorSpec& spec) {
  const Shape& shape = spec.layout.shape;
  std::string text;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const bool first = spec.role == Role::cotangent && k > 0;
    text += fmt::format("{}{}", k == 0 ? "" : ",", first ? 0 : shape[k] - 1);
  }
  return text;
}

/// A level puts its number in one place of a tensor: two levels put two numbers into the same one.
bool place_differently(const Level& a, const Level& b) {
  for (const PlacedNumber& one : a.placed)
    for (const PlacedNumber& other : b.placed)
      if (one.tensor == other.tensor && one.number != other.number) return true;
  return false;
}

}  // namespace

CaseSpace::CaseSpace(const Kernel& kernel, const Instantiation& types)
    : kernel_(kernel), types_(types), factors_(factors_of(kernel, types)) {
  for (std::size_t f = 0; f < factors_.size(); ++f)
    for (std::size_t l = 0; l < factors_[f].levels.size(); ++l) places_.emplace_back(f, l);
}

std::string CaseSpace::name(LevelId id) const { return factor(id).name + "=" + level(id).name; }

std::vector<LevelId> CaseSpace::of_factor(std::size_t factor) const {
  std::vector<LevelId> ids;
  for (LevelId id = 0; id < levels(); ++id)
    if (factor_of(id) == factor) ids.push_back(id);
  return ids;
}

bool CaseSpace::is_size(std::size_t factor) const {
  const std::vector<Level::Text>& texts = factors_[factor].levels.front().texts;
  return !texts.empty() && kernel_.schema->key(texts.front().key, "").type == KeyType::integer;
}

bool CaseSpace::exclude_each_other(LevelId a, LevelId b) const {
  const auto says = [&](LevelId id, const std::string& key) {
    const auto& texts = level(id).texts;
    return std::any_of(texts.begin(), texts.end(),
                       [&](const Level::Text& one) { return one.key == key; });
  };
  Case c(kernel_.schema);
  for (const LevelId id : {a, b})
    for (const auto& [key, text] : level(id).texts) {
      if (id == b && says(a, key) && c.value(key) != c.with(key, text).value(key)) return true;
      c = c.with(key, text);
    }
  if (place_differently(level(a), level(b))) return true;
  for (const LevelId id : {a, b})
    for (const Condition& need : factor(id).needs)
      if ((says(a, need.key) || says(b, need.key)) && !holds(c, need)) return true;
  const auto is_theirs = [&](const Condition& one) {
    return (says(a, one.key) || says(b, one.key)) && holds(c, one);
  };
  const auto& refusals = kernel_.schema->refusals;
  return std::any_of(refusals.begin(), refusals.end(), [&](const Refusal& refusal) {
    return std::all_of(refusal.when.begin(), refusal.when.end(), is_theirs);
  });
}

std::vector<LevelId> CaseSpace::levels_of(const Case& c) const {
  std::vector<LevelId> ids;
  if (c.word() != kernel_.schema->word || !types_.has(c)) return ids;
  for (LevelId id = 0; id < levels(); ++id)
    if (is_of(c, factor(id), level(id))) ids.push_back(id);
  return ids;
}

std::optional<Case> CaseSpace::case_of(const std::vector<LevelId>& chosen) const {
  Case c(kernel_.schema);
  for (const auto& [key, text] : types_.texts) c = c.with(key, text);
  for (const LevelId id : chosen)
    for (const auto& [key, text] : level(id).texts) c = c.with(key, text);
  if (!refusal_of(c).empty()) return std::nullopt;
  return with_numbers(std::move(c), chosen);
}

Case CaseSpace::with_numbers(Case c, const std::vector<LevelId>& chosen) const {
  std::string set;
  std::optional<Claim> claim;
  for (const LevelId id : chosen)
    for (const auto& [tensor, number] : level(id).placed) {
      if (number.empty() || set.find(tensor + "@") != std::string::npos) continue;
      if (!claim) claim = kernel_.claim(c);
      if (!claim->has(tensor) || numel(claim->tensor(tensor).layout.shape) == 0) continue;
      set += fmt::format("{}{}@{}:{}", set.empty() ? "" : ";", tensor,
                         place_of(claim->tensor(tensor)), number);
    }
  return set.empty() ? c : c.with("set", set);
}

bool CaseSpace::is_small(const Case& c, double elements) {
  for (const char* key : {"layout", "out_layout", "dy_layout"})
    if (c.schema().has(key) && c.text(key).starts_with("giant_"))
      for (const std::string& size : c.schema().size_keys)
        if (c.integer(size) > kGiantExtent) return false;
  return elements_of(c) <= elements;
}

}  // namespace gradproof
