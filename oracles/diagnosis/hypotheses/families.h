// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "oracles/diagnosis/observation.h"

namespace gradproof::diagnosis {

// One function for each family of explanations. Each returns its simplest explanation first.

/// got = c * truth, where c is a known number: 0, -1, 2, d, N, eps, rstd, a parameter.
std::vector<Explanation> factors(const Observation& observation);

/// The adjoint of a step lacks a term, takes its derivative at another value, or is applied twice.
std::vector<Explanation> changed_adjoints(const Observation& observation);

/// The gradient of a parameter sums other products than cotangent times input.
std::vector<Explanation> changed_products(const Observation& observation);

/// The pass starts from other numbers: a parameter of another column, dy of another row.
std::vector<Explanation> changed_numbers(const Observation& observation);

/// x or dy is read with the strides of another tensor.
std::vector<Explanation> changed_layouts(const Observation& observation);

/// Mean or rstd comes from another formula, or from another unit.
std::vector<Explanation> changed_statistics(const Observation& observation);

/// The pipeline is another one: two steps are swapped, a step is left out, d multiplies.
std::vector<Explanation> changed_pipelines(const Observation& observation);

/// The gradient of a parameter sums some rows or columns only. The sums that fit the observation,
/// in the order in which they are found: those that are cut at round numbers first.
struct PartialSum {
  Explanation explanation;
  std::int64_t tested = 0;  ///< ranges that had been tested when this one was found
  bool round = false;       ///< cut at a power of two, or at a multiple of one
};
std::vector<PartialSum> partial_sums(const Observation& observation);

/// The gradient sums chunks of rows, and each such sum is rounded to the storage type.
std::vector<Explanation> rounded_sums(const Observation& observation);

/// The entries are truths of other entries, or are rounded to a narrower type.
std::vector<Explanation> misplaced(const Observation& all);

/// The error is a multiple of a known term, with a coefficient that is fitted in each unit.
std::vector<Explanation> proportional(const Observation& observation);

/// The explanation that the replay with these rules is what the kernel computes.
Explanation explained_by(std::string text, Rules rules);

}  // namespace gradproof::diagnosis
