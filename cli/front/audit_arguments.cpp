// SPDX-License-Identifier: Apache-2.0
#include "cli/front/audit_arguments.h"

#include "core/tensor/element_text.h"

namespace gradproof {
namespace {

/// A key's words; one empty word for a system that has no such key.
std::vector<std::string> words_of(const Schema& schema, const std::string& key) {
  return schema.has(key) ? schema.key(key, "").words : std::vector<std::string>{""};
}

/// The Case with the key changed; nothing where its system has no such word or refuses it.
std::optional<Case> with_word(const Case& c, const std::string& key, const std::string& word) {
  if (word.empty()) return c;
  const Case changed = c.with(key, word);
  return refusal_of(changed).empty() ? std::optional(changed) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> sample_size(const std::string& text) {
  if (text == "all") return 0;
  const std::string_view head = "sample:";
  if (!text.starts_with(head)) return std::nullopt;
  const auto size = whole_number(std::string_view(text).substr(head.size()));
  return size && *size >= 1 ? size : std::nullopt;
}

std::vector<std::string> audit_arguments(const Options& options) {
  std::vector<std::string> arguments;
  const std::int64_t entries = sample_size(options.entries).value_or(0);
  if (entries > 0) arguments.push_back("entries=" + std::to_string(entries));
  if (options.digits != "20") arguments.push_back("digits=" + options.digits);
  if (options.direct) arguments.push_back("direct=yes");
  if (!options.column.empty()) arguments.push_back("column=" + options.column);
  return arguments;
}

std::vector<Case> every_system(const std::vector<SchemaPtr>& schemas) {
  std::vector<Case> cases;
  for (const SchemaPtr& schema : schemas)
    for (const std::string& mode : words_of(*schema, "mode"))
      for (const std::string& dtype : words_of(*schema, "dtype"))
        for (const std::string& parameters : words_of(*schema, "params")) {
          std::optional<Case> c = Case(schema);
          if (c) c = with_word(*c, "mode", mode);
          if (c) c = with_word(*c, "dtype", dtype);
          if (c) c = with_word(*c, "params", parameters);
          if (c) cases.push_back(*c);
        }
  return cases;
}

}  // namespace gradproof
