// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "oracles/audit/diagnosis_scene.h"

namespace gradproof::diagnosis {

/// Which gradient is looked at.
struct Target {
  bool matrix = false;   ///< of an input: one number for each of x
  bool shared = false;   ///< of a parameter of one number
  std::size_t slot = 0;  ///< of the parameter, in Script::numbers
};
Target target_of(const Question& question);

/// The step that has the parameter, and its place there; the first if several have. Nothing for an
/// input's gradient.
struct Use {
  std::size_t step = 0;
  std::size_t place = 0;
};
std::optional<Use> use_of(const Script& script, const Target& target);

/// The cotangents of all nodes under the rules; one that no step takes is empty.
std::vector<Matrix> cotangents_of(const Scene& scene, const Rules& rules);

/// What a parameter's gradient is the sum of, in the shape of x.
Matrix terms_of_parameter(const Scene& scene, const Rules& rules, const Target& target,
                          const std::vector<Matrix>& cotangents);

/// The gradient under the rules: as many numbers as the scene has of it.
Matrix predict(const Scene& scene, const Rules& rules, const Target& target);

}  // namespace gradproof::diagnosis
