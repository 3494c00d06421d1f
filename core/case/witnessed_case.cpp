// SPDX-License-Identifier: Apache-2.0
#include "core/case/witnessed_case.h"

namespace gradproof {

Key part_of_key() {
  return {"part_of", KeyType::text, "", {}, 0, 0, "of which system it is a part, such as a step",
          {},        true};
}

SchemaPtr witnessed_schema() {
  auto schema = std::make_shared<Schema>();
  schema->word = kWitnessed;
  schema->summary = "given results beside a reference's in a wider type";
  const auto file = [](const char* name, const char* help) {
    return Key{name, KeyType::text, "", {}, 0, 0, help, {}, true};
  };
  schema->keys = {
      {"dtype", KeyType::word, "f32", {"f32", "f64", "f16", "bf16"}, 0, 0, "of the results"},
      file("outputs", "file of given results, which are judged"),
      file("truth", "file of what they should be, and of NAME.bound, what they may be off"),
      file("name", "what reports call it"),
      part_of_key()};
  for (const char* key : {"outputs", "truth"})
    schema->refusals.push_back({{{key, "=", ""}}, std::string(kWitnessed) + " needs " + key + "="});
  return schema;
}

}  // namespace gradproof
