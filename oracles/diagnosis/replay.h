// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "oracles/diagnosis/replayed_pipeline.h"

namespace gradproof::diagnosis {

/// Which gradient is looked at.
struct Target {
  bool matrix = false;   ///< of an input: one number for each of x
  bool shared = false;   ///< of a parameter of one number
  std::size_t slot = 0;  ///< of the parameter, in CompiledPipeline::numbers
};
Target target_of(const Question& question);

/// The step that has the parameter, and its place there; the first if several have. Nothing for an
/// input's gradient.
struct Use {
  std::size_t step = 0;
  std::size_t place = 0;
};
std::optional<Use> use_of(const CompiledPipeline& compiled, const Target& target);

/// The cotangents under the rules of this node and all behind it; of one that no step takes, none.
/// What is the same in `before` (a replayed with cotangents) is taken from there.
std::vector<Shared> cotangents_of(const ReplayedPipeline& replayed, const Rules& rules,
                                  std::size_t node, const ReplayedPipeline* before = nullptr);

/// The first node whose cotangent the gradient needs; kNone: it needs none.
std::size_t node_of(const ReplayedPipeline& replayed, const Rules& rules, const Target& target);

/// What a parameter's gradient is the sum of: a number for each element of x, the product of two.
struct Terms {
  Shared cotangent;                ///< none: 1
  const Matrix* second = nullptr;  ///< none: 1

  TrackedReal operator()(std::size_t i) const {
    return (cotangent ? (*cotangent)[i] : exact(1)) * (second == nullptr ? exact(1) : (*second)[i]);
  }
};
Terms terms_of_parameter(const ReplayedPipeline& replayed, const Rules& rules, const Target& target,
                         const std::vector<Shared>& cotangents);

/// The gradient under the rules: as many numbers as the replayed has of it.
Matrix predict(const ReplayedPipeline& replayed, const Rules& rules, const Target& target);

}  // namespace gradproof::diagnosis
