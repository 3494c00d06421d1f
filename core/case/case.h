// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/case/schema.h"

namespace gradproof {

/// Everything needed to rerun one check: a system's word and one Value for each key of its schema.
/// `parse_case(to_string(c), schemas) == c` holds for every Case that is not refused.
class Case {
 public:
  /// Makes a Case with all keys at their defaults.
  explicit Case(SchemaPtr schema);

  const Schema& schema() const { return *schema_; }
  const SchemaPtr& schema_pointer() const { return schema_; }
  const std::string& word() const { return schema_->word; }

  std::int64_t integer(std::string_view key) const;
  double real(std::string_view key) const;
  /// The text of a word, tagged or text key (and of a real key that holds a word).
  const std::string& text(std::string_view key) const;
  /// True if the key holds exactly this word; false where the schema has no such key.
  bool is(std::string_view key, std::string_view word) const;
  /// True if a real key holds a number (momentum=none does not).
  bool is_number(std::string_view key) const;
  const Value& value(std::string_view key) const;

  /// The number after the colon of a tagged key: 1000 of "offset:1000"; 0 where there is none.
  double argument(std::string_view key) const;

  /// A copy with one key changed. Throws UsageError like parse_case, but does not check refusals.
  Case with(std::string_view key, std::string_view text) const;

  /// The names of the keys that differ from their default, in the printed order.
  std::vector<std::string> changed_keys() const;

  friend bool operator==(const Case& a, const Case& b) {
    return a.word() == b.word() && a.values_ == b.values_;
  }

 private:
  std::size_t position(std::string_view key) const;

  SchemaPtr schema_;
  std::vector<Value> values_;  // in the schema's order
};

/// The word and the non-default keys in the schema's order, which is the Case's name everywhere.
std::string to_string(const Case& c);

/// Reads `word key=value ...`. Throws UsageError for an unknown word, key or value, a duplicate key
/// and for a combination that the schema refuses.
Case parse_case(std::string_view text, const std::vector<SchemaPtr>& schemas);

/// True if the condition holds for the Case.
bool holds(const Case& c, const Condition& condition);

/// The first refusal that applies, or an empty string.
std::string refusal_of(const Case& c);

/// The number of elements of x: the product of the schema's size keys.
double elements_of(const Case& c);

/// The number of the key `seed`, which every schema has.
std::uint64_t seed_of(const Case& c);

/// The bytes that a check of this Case takes at its peak on this machine's cores, from the schema.
double memory_estimate(const Case& c);

}  // namespace gradproof
