// SPDX-License-Identifier: Apache-2.0
#include "core/case/draw.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

constexpr std::uint64_t kGiantSeldom = 8;  ///< one in so many drawn giant layouts is kept
constexpr std::int64_t kGiantExtent = 5;

bool is_giant(const std::string& word) { return word.starts_with("giant_"); }

template <class T>
const T& pick(const RandomBits& next, const std::vector<T>& choices) {
  return choices[next() % choices.size()];
}

/// A whole number from a list of hard extents, clamped to the key's range.
std::string integer(const RandomBits& next, const Key& key) {
  static const std::vector<std::int64_t> kHard{0,  1,  2,  3,  4,  5,  7,   8,   17,
                                               31, 32, 33, 63, 64, 65, 127, 128, 129};
  return fmt::format("{}", std::clamp(pick(next, kHard), key.minimum, key.maximum));
}

std::string number(const RandomBits& next) {
  static const std::vector<double> kHard{1e-5, 1e-3, 0.3, 0.5, 1, 1.75, 2, -0.5, -3, 17, 1000};
  return fmt::format("{}", pick(next, kHard));
}

/// Removes giant layouts from large matrices, as each takes a page for each row or column.
Case without_large_giants(Case c) {
  for (const std::string& size : c.schema().size_keys)
    if (c.integer(size) > kGiantExtent) return without_giants(std::move(c));
  return c;
}

}  // namespace

std::string draw_text(const Key& key, const RandomBits& next) {
  if (!key.samples.empty()) return pick(next, key.samples);
  if (key.type == KeyType::integer) return integer(next, key);
  if (key.type == KeyType::real) return number(next);
  if (key.type == KeyType::text) return "";
  std::string word = pick(next, key.words);
  if (is_giant(word) && next() % kGiantSeldom != 0) word = key.initial;
  return word.back() == ':' ? word + number(next) : word;
}

Case draw_case(const SchemaPtr& schema, const std::vector<std::string>& pinned,
               const RandomBits& next) {
  constexpr int kTries = 10000;
  for (int i = 0; i < kTries; ++i) {
    Case c(schema);
    for (const Key& key : schema->keys)
      if (!key.setting && next() % 2 == 0) c = c.with(key.name, draw_text(key, next));
    c = without_large_giants(std::move(c));
    for (const std::string& pin : pinned)
      c = c.with(pin.substr(0, pin.find('=')), pin.substr(pin.find('=') + 1));
    if (refusal_of(c).empty()) return c;
  }
  throw InstrumentError("no case of " + schema->word + " is allowed with these keys pinned");
}

Case without_giants(Case c) {
  for (const Key& key : c.schema().keys)
    if (key.type == KeyType::word && is_giant(c.text(key.name))) c = c.with(key.name, key.initial);
  return c;
}

}  // namespace gradproof
