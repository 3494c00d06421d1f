// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gradproof {

/// An attribute of a Case. Words, tagged numbers ("offset:1000") and free text are strings.
using Value = std::variant<std::int64_t, double, std::string>;

/// The ways in which the text of a key is read.
///   integer  minimum..maximum
///   real     a double; `words` may stand for it too ("none")
///   word     one of `words`
///   tagged   one of `words`; a word that ends in ':' takes a number ("offset:" reads "offset:1e3")
///   text     anything without blanks
enum class KeyType { integer, real, word, tagged, text };

struct Key {
  std::string name;
  KeyType type = KeyType::text;
  std::string initial;  ///< the default, as text; frozen: a changed default is a new key
  std::vector<std::string> words;
  std::int64_t minimum = 0;
  std::int64_t maximum = INT64_MAX;
  std::string help;
  std::vector<std::string> samples =
      {};                ///< texts that searches draw; if empty, they draw words and numbers
  bool setting = false;  ///< of the instrument (device, law): neither drawn nor shrunk
};

/// `key relation text`, compared as numbers for integer and real keys (words only with = and !=).
struct Condition {
  std::string key;
  std::string relation;  ///< one of = != < >, or indivisible: no multiple of the key `text`
  std::string text;
};

/// A forbidden combination: when all conditions hold, the Case is refused with the message.
struct Refusal {
  std::vector<Condition> when;
  std::string message;
};

/// Memory of tensors other than x: the product of these keys times these bytes.
struct MemoryTerm {
  std::vector<std::string> keys;
  double bytes = 0;
};

/// The keys that a system's Case line may have. The catalog of the worker that runs it gives them.
struct Schema {
  std::string word;
  std::string summary;
  std::string pipeline;  ///< "BatchNorm, Bias, Divide, Swish", in order of execution
  std::string contract;  ///< of the default Case, in words
  /// True if a Case is judged by the graph in `pipeline` (core/graph/graph_case.h).
  bool by_graph = false;
  std::vector<Key> keys;  ///< in the order in which they are printed
  std::vector<Refusal> refusals;
  std::vector<std::string> size_keys;  ///< their product is the number of elements
  double bytes_per_element = 0;        ///< memory of a check per element, all tensors and truth
  /// Memory of one unit (a column) while it is evaluated at 50 digits, one on each core at a time:
  /// the product of these keys times these bytes.
  std::vector<std::string> unit_keys = {};
  double bytes_per_unit_element = 0;
  std::vector<MemoryTerm> beside = {};  ///< a Linear's input and weight, of all kinds held at once
  std::vector<std::string> tensors;     ///< outputs and gradients that a check can judge

  /// Throws UsageError that names the unknown key, the known ones and `text`, where the key stands.
  const Key& key(std::string_view name, std::string_view text) const;
  bool has(std::string_view name) const;
};

using SchemaPtr = std::shared_ptr<const Schema>;

/// The Value that a key's text stands for. Throws UsageError naming key, text and choices.
Value parse_value(const Key& key, std::string_view text);

/// The shortest text that parse_value reads back to the same Value.
std::string to_string(const Key& key, const Value& value);

/// Reads decimal or hex floating point, "inf" or "nan"; false where the whole text is not a number.
bool parse_double(std::string_view text, double& value);

}  // namespace gradproof
