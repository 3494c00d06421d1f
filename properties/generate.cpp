// SPDX-License-Identifier: Apache-2.0
#include "properties/generate.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/shrink.h"

namespace gradproof {
namespace {

constexpr std::uint64_t kGiantSeldom = 8;  ///< one of so many giant layouts drawn stays
constexpr std::int64_t kGiantExtent = 5;

bool is_giant(const std::string& word) { return word.starts_with("giant_"); }

template <class T>
const T& pick(rc::Random& random, const std::vector<T>& choices) {
  return choices[random.next() % choices.size()];
}

/// Extents and numbers that separate right from nearly right.
std::string integer(rc::Random& random, const Key& key) {
  static const std::vector<std::int64_t> kHard{0,  1,  2,  3,  4,  5,  7,   8,   17,
                                               31, 32, 33, 63, 64, 65, 127, 128, 129};
  return fmt::format("{}", std::clamp(pick(random, kHard), key.minimum, key.maximum));
}

std::string number(rc::Random& random) {
  static const std::vector<double> kHard{1e-5, 1e-3, 0.3, 0.5, 1, 1.75, 2, -0.5, -3, 17, 1000};
  return fmt::format("{}", pick(random, kHard));
}

std::string text_of(rc::Random& random, const Key& key) {
  if (!key.samples.empty()) return pick(random, key.samples);
  if (key.type == KeyType::integer) return integer(random, key);
  if (key.type == KeyType::real) return number(random);
  if (key.type == KeyType::text) return "";
  std::string word = pick(random, key.words);
  if (is_giant(word) && random.next() % kGiantSeldom != 0) word = key.initial;
  return word.back() == ':' ? word + number(random) : word;
}

/// A giant layout takes a page for each row or column: only where there are few.
Case without_large_giants(Case c) {
  for (const std::string& size : c.schema().size_keys) {
    if (c.integer(size) <= kGiantExtent) continue;
    for (const Key& key : c.schema().keys)
      if (key.type == KeyType::word && is_giant(c.text(key.name)))
        c = c.with(key.name, key.initial);
  }
  return c;
}

Case draw(rc::Random random, const SchemaPtr& schema, const std::vector<std::string>& pinned) {
  constexpr int kTries = 10000;
  for (int i = 0; i < kTries; ++i) {
    Case c(schema);
    for (const Key& key : schema->keys)
      if (!key.setting && random.next() % 2 == 0) c = c.with(key.name, text_of(random, key));
    c = without_large_giants(c);
    for (const std::string& pin : pinned)
      c = c.with(pin.substr(0, pin.find('=')), pin.substr(pin.find('=') + 1));
    if (refusal_of(c).empty()) return c;
  }
  throw InstrumentError("no case of " + schema->word + " is allowed with these keys pinned");
}

bool keeps(const Case& c, const std::vector<std::string>& pinned) {
  for (const std::string& pin : pinned)
    if (c != c.with(pin.substr(0, pin.find('=')), pin.substr(pin.find('=') + 1))) return false;
  return true;
}

}  // namespace

rc::Gen<Case> any_case(const SchemaPtr& schema, const std::vector<std::string>& pinned) {
  return [schema, pinned](const rc::Random& random, int) {
    return rc::shrinkable::shrinkRecur(draw(random, schema, pinned), [pinned](const Case& c) {
      std::vector<Case> simpler;
      for (Case& candidate : shrinks(c))
        if (keeps(candidate, pinned)) simpler.push_back(std::move(candidate));
      return rc::seq::fromContainer(std::move(simpler));
    });
  };
}

}  // namespace gradproof
