// SPDX-License-Identifier: Apache-2.0
#include "core/case/schema.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/nearest_word.h"

namespace gradproof {
namespace {

[[noreturn]] void refuse(const Key& key, std::string_view text, const std::string& choices) {
  throw UsageError(fmt::format("bad value '{}' for key '{}'; {}{}", text, key.name, choices,
                               did_you_mean(text, key.words)));
}

std::string number(double value) {
  if (std::isnan(value)) return "nan";
  return fmt::format("{}", value);
}

/// "offset:1e3" for the word "offset:" in canonical form; empty where the text does not fit.
std::string tagged(const std::string& word, std::string_view text) {
  if (word.back() != ':') return word == text ? word : "";
  double value = 0;
  if (!text.starts_with(word) || !parse_double(text.substr(word.size()), value)) return "";
  if (!std::isfinite(value)) return "";
  return word + number(value);
}

std::string choices(const Key& key) {
  switch (key.type) {
    case KeyType::integer:
      return key.maximum == INT64_MAX
                 ? fmt::format("a whole number from {} up", key.minimum)
                 : fmt::format("a whole number from {} to {}", key.minimum, key.maximum);
    case KeyType::real:
      return key.words.empty() ? "a number"
                               : fmt::format("a number or {}", fmt::join(key.words, " "));
    default:
      return fmt::format("known: {}", fmt::join(key.words, " "));
  }
}

}  // namespace

bool parse_double(std::string_view text, double& value) {
  const bool negative = text.starts_with('-');
  std::string_view digits = negative ? text.substr(1) : text;
  auto format = std::chars_format::general;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
    format = std::chars_format::hex;
  }
  if (digits.empty() || digits.front() == '-') return false;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, format);
  if (error != std::errc{} || stop != end) return false;
  if (negative) value = -value;
  return true;
}

Value parse_value(const Key& key, std::string_view text) {
  if (key.type == KeyType::integer) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    const bool whole = error == std::errc{} && stop == end && !text.empty();
    if (!whole || value < key.minimum || value > key.maximum) refuse(key, text, choices(key));
    return value;
  }
  if (key.type == KeyType::real) {
    double value = 0;
    // NaN is refused because it would not equal itself, and text and value must be inverse.
    if (parse_double(text, value) && !std::isnan(value)) return value;
  }
  if (key.type == KeyType::text) {
    if (text.find_first_of(" \t\n\v\f\r'") != std::string_view::npos)
      refuse(key, text, "no blanks and no quotes");
    return std::string(text);
  }
  for (const std::string& word : key.words)
    if (const std::string found = tagged(word, text); !found.empty()) return found;
  refuse(key, text, choices(key));
}

std::string to_string(const Key&, const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* real = std::get_if<double>(&value)) return number(*real);
  return std::get<std::string>(value);
}

bool Schema::has(std::string_view name) const {
  for (const Key& k : keys)
    if (k.name == name) return true;
  return false;
}

const Key& Schema::key(std::string_view name, std::string_view text) const {
  for (const Key& k : keys)
    if (k.name == name) return k;
  std::vector<std::string> known;
  for (const Key& k : keys) known.push_back(k.name);
  throw UsageError(fmt::format("unknown key '{}' in '{}'; known: {}{}", name, text,
                               fmt::join(known, " "), did_you_mean(name, known)));
}

}  // namespace gradproof
