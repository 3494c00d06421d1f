// SPDX-License-Identifier: Apache-2.0
#include "core/case/schema_fault.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

/// True if a Case line can hold the text as a word: it is not empty and has no blank.
bool is_word(const std::string& text) {
  return !text.empty() && text.find_first_of(" \t\n\v\f\r") == std::string::npos;
}

std::string fault_of_key(const Key& key) {
  if (!is_word(key.name) || key.name.find('=') != std::string::npos)
    return fmt::format("'{}' is no name of a key", key.name);
  if (!std::all_of(key.words.begin(), key.words.end(), is_word))
    return fmt::format("a word of key '{}' is empty or has a blank", key.name);
  try {
    parse_value(key, key.initial);
  } catch (const UsageError& error) {
    return fmt::format("the default is refused: {}", error.what());
  }
  return "";
}

bool is_integer(const Schema& schema, const std::string& name) {
  return schema.has(name) && schema.key(name, "").type == KeyType::integer;
}

std::string fault_of_condition(const Schema& schema, const Condition& condition) {
  const std::string& relation = condition.relation;
  if (relation != "indivisible") {
    const bool known = relation == "=" || relation == "!=" || relation == "<" || relation == ">";
    if (!known) return fmt::format("unknown relation '{}'", relation);
    return schema.has(condition.key) ? ""
                                     : fmt::format("a condition on no key '{}'", condition.key);
  }
  if (!is_integer(schema, condition.key) || !is_integer(schema, condition.text) ||
      schema.key(condition.text, "").minimum < 1)
    return fmt::format("'{}' cannot be divided by '{}'", condition.key, condition.text);
  return "";
}

/// The fault of the keys whose numbers are multiplied: each must be a key of integers.
std::string fault_of_sizes(const Schema& schema, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (!is_integer(schema, name)) return fmt::format("size '{}' is no key of integers", name);
  return "";
}

}  // namespace

std::string fault_of(const Schema& schema) {
  if (!is_word(schema.word)) return fmt::format("'{}' is no word", schema.word);
  std::set<std::string> names;
  for (const Key& key : schema.keys) {
    if (std::string fault = fault_of_key(key); !fault.empty()) return fault;
    if (!names.insert(key.name).second) return fmt::format("key '{}' stands twice", key.name);
  }
  if (!is_integer(schema, "seed")) return "no key 'seed' of integers";
  for (const Refusal& refusal : schema.refusals)
    for (const Condition& condition : refusal.when)
      if (std::string fault = fault_of_condition(schema, condition); !fault.empty()) return fault;
  for (const auto* names_of : {&schema.size_keys, &schema.unit_keys})
    if (std::string fault = fault_of_sizes(schema, *names_of); !fault.empty()) return fault;
  for (const MemoryTerm& term : schema.beside)
    if (std::string fault = fault_of_sizes(schema, term.keys); !fault.empty()) return fault;
  return "";
}

}  // namespace gradproof
