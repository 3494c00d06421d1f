// SPDX-License-Identifier: Apache-2.0
#include "judge/systems.h"

namespace gradproof {

std::vector<SchemaPtr> Systems::schemas() const {
  std::vector<SchemaPtr> all = catalog.schemas();
  for (const ModelPair& pair : pairs) all.push_back(pair.schema);
  return all;
}

const ModelPair* Systems::pair_of(const Case& c) const {
  for (const ModelPair& pair : pairs)
    if (pair.schema->word == c.word()) return &pair;
  return nullptr;
}

std::string Systems::tensor_name(const Case& c, const std::string& kernel_tensor) const {
  const ModelPair* const pair = pair_of(c);
  return pair == nullptr ? kernel_tensor : pair->tensor_name(kernel_tensor);
}

}  // namespace gradproof
