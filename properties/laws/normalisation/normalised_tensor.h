// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "core/claim/claim.h"

namespace gradproof {

/// The number of steps that take a tensor or value. Steps of the catalog's kernels that move
/// running statistics do not count.
std::int64_t takers_of(const Claim& claim, const std::string& name);

/// A tensor that nothing takes but one norm, or factors in front of it that are the same for all
/// that the norm takes together.
struct NormalisedTensor {
  std::string tensor;
  GraphStep norm;
  std::string factor;  ///< the last factor in front of the norm; empty: there is none

  /// The norm's weight, where nothing else takes it; empty: there is none.
  std::string weight_of(const Claim& claim) const;
};

/// The first such tensor of the graph; nothing if there is none.
std::optional<NormalisedTensor> normalised_tensor(const Claim& claim);

/// A tensor to which a constant, the same for all that a step takes together, may be added without
/// changing any result: a tensor that a norm which subtracts a mean takes, or a softmax, or the
/// summand right before such a step.
std::optional<NormalisedTensor> shifted_tensor(const Claim& claim);

/// A unit is what the step takes together. The functions return the number of the unit that an
/// element belongs to, and how many units have elements of the tensor.
std::int64_t unit_of(const Claim& claim, const GraphStep& step, const TensorSpec& spec,
                     std::int64_t index);
std::int64_t units_of(const Claim& claim, const GraphStep& step, const TensorSpec& spec);

}  // namespace gradproof
