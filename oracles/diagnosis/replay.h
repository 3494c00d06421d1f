// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "oracles/diagnosis/replayed_pipeline.h"

namespace gradproof::diagnosis {

/// The gradient that is explained.
struct Target {
  bool matrix = false;   ///< the gradient of x, in its shape
  bool shared = false;   ///< the gradient of a parameter of one number
  std::size_t slot = 0;  ///< of the parameter, in CompiledPipeline::numbers
};
Target target_of(const Question& question);

/// The first step that uses the parameter, and the parameter's position in that step. No value for
/// the gradient of an input.
struct Use {
  std::size_t step = 0;
  std::size_t place = 0;
};
std::optional<Use> use_of(const CompiledPipeline& compiled, const Target& target);

/// The cotangents of this node and of all behind it, with the rules; nullptr for a node that no
/// step uses. Cotangents that are the same in `before` (which has cotangents) are taken from there.
std::vector<Shared> cotangents_of(const ReplayedPipeline& replayed, const Rules& rules,
                                  std::size_t node, const ReplayedPipeline* before = nullptr);

/// The first node whose cotangent the gradient needs; kNone: the gradient needs no cotangent.
std::size_t node_of(const ReplayedPipeline& replayed, const Rules& rules, const Target& target);

/// A parameter's gradient is a sum with one term for each element of x: cotangent times second.
struct Terms {
  Shared cotangent;                ///< nullptr: 1
  const Matrix* second = nullptr;  ///< nullptr: 1

  TrackedReal operator()(std::size_t i) const {
    return (cotangent ? (*cotangent)[i] : exact(1)) * (second == nullptr ? exact(1) : (*second)[i]);
  }
};
Terms terms_of_parameter(const ReplayedPipeline& replayed, const Rules& rules, const Target& target,
                         const std::vector<Shared>& cotangents);

/// The gradient with the rules: the entries that the replayed part decides.
Matrix predict(const ReplayedPipeline& replayed, const Rules& rules, const Target& target);

}  // namespace gradproof::diagnosis
