// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/inputs.h"
#include "core/case/schema.h"

namespace gradproof {

/// A small schema with one key of every type, for tests of the Case and of what reads it.
inline SchemaPtr sample_schema() {
  Schema schema;
  schema.word = "sample";
  schema.keys = {
      {"rows", KeyType::integer, "5", {}, 0, 1000, ""},
      {"cols", KeyType::integer, "3", {}, 1, 1000, ""},
      {"mode", KeyType::word, "train", {"train", "eval"}, 0, 0, ""},
      {"momentum", KeyType::real, "0.1", {"none"}, 0, 0, ""},
  };
  for (const Key& key : input_keys()) schema.keys.push_back(key);
  schema.refusals = {{{{"mode", "=", "train"}, {"rows", "=", "1"}}, "rows=1 cannot train"}};
  schema.size_keys = {"rows", "cols"};
  schema.bytes_per_element = 100;
  return std::make_shared<const Schema>(schema);
}

}  // namespace gradproof
