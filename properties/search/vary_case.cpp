// SPDX-License-Identifier: Apache-2.0
#include "properties/search/vary_case.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "properties/search/draw_fill.h"

namespace gradproof {
namespace {

/// The largest matrix that is drawn, 129 rows of 66 columns: a search lives on many Cases.
constexpr double kMostElements = 129 * 66;
constexpr std::uint64_t kSeeds = 1000000;

bool is_pinned(const std::vector<std::string>& pinned, const std::string& key) {
  return std::any_of(pinned.begin(), pinned.end(),
                     [&](const std::string& pin) { return pin.starts_with(key + "="); });
}

bool may_change(const Key& key, const std::vector<std::string>& pinned) {
  return !key.setting && key.type != KeyType::text && !is_pinned(pinned, key.name);
}

std::string drawn_again(const Key& key, const RandomBits& next) {
  if (key.name == "seed") return fmt::format("{}", next() % kSeeds);
  return key.name == "fill" ? draw_fill(key, next) : draw_text(key, next);
}

/// 2^-2, 2^-1, 2 or 4 times the number.
double scaled(double number, const RandomBits& next) {
  constexpr std::array kFactors{0.25, 0.5, 2.0, 4.0};
  return number * kFactors[next() % kFactors.size()];
}

/// One less, one more, half or twice as many.
std::int64_t stepped(const Key& key, std::int64_t number, const RandomBits& next) {
  const std::array numbers{number - 1, number + 1, number / 2, number * 2};
  return std::clamp(numbers[next() % numbers.size()], key.minimum, key.maximum);
}

/// The key's number moved a little; drawn again where it has none. A seed has no neighbours.
std::string moved(const Case& c, const Key& key, const RandomBits& next) {
  if (key.type == KeyType::integer && key.name != "seed")
    return fmt::format("{}", stepped(key, c.integer(key.name), next));
  if (key.type == KeyType::real && c.is_number(key.name))
    return fmt::format("{}", scaled(c.real(key.name), next));
  if (key.type == KeyType::tagged && key.name != "schedule")
    if (const std::size_t colon = c.text(key.name).find(':'); colon != std::string::npos)
      return fmt::format("{}{}", c.text(key.name).substr(0, colon + 1),
                         scaled(c.argument(key.name), next));
  return drawn_again(key, next);
}

/// The Case as a search may run it; `instead` where the schema refuses it or it is too large.
Case allowed(Case c, const Case& instead) {
  c = without_giants(std::move(c));
  return refusal_of(c).empty() && elements_of(c) <= kMostElements ? c : instead;
}

bool is_size(const Case& c, const std::string& key) {
  const std::vector<std::string>& sizes = c.schema().size_keys;
  return std::find(sizes.begin(), sizes.end(), key) != sizes.end();
}

}  // namespace

Case draw_for_search(const SchemaPtr& schema, const std::vector<std::string>& pinned,
                     const RandomBits& next) {
  std::vector<std::string> pins = pinned;
  for (const char* key : {"fill", "seed"})
    if (!is_pinned(pinned, key))
      pins.push_back(fmt::format("{}={}", key, drawn_again(schema->key(key, ""), next)));
  return without_giants(draw_case(schema, pins, next));
}

Case varied(const Case& c, const std::vector<std::string>& pinned, const RandomBits& next) {
  constexpr std::uint64_t kReseeded = 3;  // one of so many
  const std::vector<Key>& keys = c.schema().keys;
  const bool reseeded = next() % kReseeded == 0;
  const Key& key = reseeded ? c.schema().key("seed", "") : keys[next() % keys.size()];
  if (!may_change(key, pinned)) return c;
  const bool near = next() % 2 == 0;
  Case other = c.with(key.name, near ? moved(c, key, next) : drawn_again(key, next));
  if (is_size(c, key.name)) other = other.with("set", "");
  return allowed(std::move(other), c);
}

Case crossed(const Case& mother, const Case& father, const std::vector<std::string>& pinned,
             const RandomBits& next) {
  Case child = mother;
  for (const Key& key : mother.schema().keys)
    if (may_change(key, pinned) && next() % 2 == 0)
      child = child.with(key.name, to_string(key, father.value(key.name)));
  for (const std::string& size : mother.schema().size_keys)
    if (child.integer(size) != mother.integer(size)) child = child.with("set", "");
  return allowed(std::move(child), mother);
}

}  // namespace gradproof
