// SPDX-License-Identifier: Apache-2.0
#include "core/case/shrink.h"

#include <algorithm>
#include <sstream>
#include <tuple>

namespace gradproof {
namespace {

bool is_size(const Case& c, const std::string& key) {
  const auto& sizes = c.schema().size_keys;
  return std::find(sizes.begin(), sizes.end(), key) != sizes.end();
}

/// 0 at the default seed, which is not printed; else the seed + 1.
std::int64_t seed_distance(const Case& c) {
  if (!c.schema().has("seed")) return 0;
  const std::int64_t seed = c.integer("seed");
  return seed == Case(c.schema_pointer()).integer("seed") ? 0 : seed + 1;
}

/// The elements of a key of free text (`set`, `calls`), one text for each.
std::vector<std::string> elements_of_text(const Case& c, const Key& key) {
  std::vector<std::string> elements;
  if (key.type != KeyType::text) return elements;
  std::istringstream parts(c.text(key.name));
  for (std::string text; std::getline(parts, text, ';');) elements.push_back(text);
  return elements;
}

std::tuple<std::int64_t, std::int64_t, std::int64_t> weight(const Case& c) {
  std::int64_t changed = 0;
  std::int64_t numbers = 0;
  for (const std::string& key : c.changed_keys()) changed += !is_size(c, key) && key != "seed";
  for (const Key& key : c.schema().keys) {
    const std::size_t elements = elements_of_text(c, key).size();
    changed += elements == 0 ? 0 : static_cast<std::int64_t>(elements - 1);
    if (key.type == KeyType::integer && key.name != "seed") numbers += c.integer(key.name);
  }
  return {changed, numbers, seed_distance(c)};
}

std::vector<std::int64_t> smaller(std::int64_t n, std::int64_t minimum) {
  std::vector<std::int64_t> values;
  for (const std::int64_t m : {minimum, minimum + 1, minimum + 2, n / 4, n / 2, n - n / 8, n - 1})
    if (m >= minimum && m < n && std::find(values.begin(), values.end(), m) == values.end())
      values.push_back(m);
  return values;
}

/// The number that the key's number must be a multiple of; 1 where there is none.
std::int64_t divisor_of(const Case& c, const std::string& key) {
  for (const Refusal& refusal : c.schema().refusals)
    for (const Condition& condition : refusal.when)
      if (condition.relation == "indivisible" && condition.key == key)
        return c.integer(condition.text);
  return 1;
}

/// The Cases that leave out one element of the key's text each; none where it has one element.
std::vector<Case> with_fewer_elements(const Case& c, const Key& key) {
  const std::vector<std::string> elements = elements_of_text(c, key);
  std::vector<Case> found;
  for (std::size_t left_out = 0; elements.size() > 1 && left_out < elements.size(); ++left_out) {
    std::string text;
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (i != left_out) text += (text.empty() ? "" : ";") + elements[i];
    found.push_back(c.with(key.name, text));
  }
  return found;
}

}  // namespace

bool simpler_than(const Case& a, const Case& b) { return weight(a) < weight(b); }

std::vector<Case> shrinks(const Case& c) {
  std::vector<Case> found;
  const auto add = [&](const Case& candidate) {
    if (refusal_of(candidate).empty() && simpler_than(candidate, c)) found.push_back(candidate);
  };
  for (const std::string& name : c.changed_keys())
    if (const Key& key = c.schema().key(name, ""); !is_size(c, name) && !key.setting)
      add(c.with(name, key.initial));
  for (const Key& key : c.schema().keys)
    for (const Case& fewer : with_fewer_elements(c, key)) add(fewer);
  for (const Key& key : c.schema().keys) {
    if (key.type != KeyType::integer) continue;
    const std::int64_t divisor = divisor_of(c, key.name);
    for (const std::int64_t value : smaller(c.integer(key.name), key.minimum)) {
      const std::int64_t below = value / divisor * divisor;
      const std::int64_t above = (value + divisor - 1) / divisor * divisor;
      if (below >= key.minimum) add(c.with(key.name, std::to_string(below)));
      if (above != below) add(c.with(key.name, std::to_string(above)));
    }
  }
  return found;
}

Case shrink(Case failing, const std::function<bool(const Case&)>& still_fails, int steps) {
  for (bool moved = true; moved && steps > 0;) {
    moved = false;
    for (const Case& candidate : shrinks(failing)) {
      if (steps-- <= 0) break;
      if (!still_fails(candidate)) continue;
      failing = candidate;
      moved = true;
      break;
    }
  }
  return failing;
}

}  // namespace gradproof
