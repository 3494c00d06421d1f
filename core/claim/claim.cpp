// SPDX-License-Identifier: Apache-2.0
#include "core/claim/claim.h"

#include <algorithm>

#include "core/error.h"

namespace gradproof {

bool Claim::is_matrix(const TensorSpec& spec) const {
  return spec.role == Role::input || spec.role == Role::cotangent || spec.name == "y" ||
         (spec.role == Role::gradient && tensor(spec.name.substr(2)).role == Role::input);
}

bool Claim::has(std::string_view name) const {
  return std::any_of(tensors.begin(), tensors.end(),
                     [&](const TensorSpec& spec) { return spec.name == name; });
}

const TensorSpec& Claim::tensor(std::string_view name) const {
  for (const TensorSpec& spec : tensors)
    if (spec.name == name) return spec;
  throw InstrumentError("the claim has no tensor '" + std::string(name) + "'");
}

}  // namespace gradproof
