// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "oracles/diagnosis/observation.h"

namespace gradproof::diagnosis {

// One function for each family; within one the simplest explanation comes first.

/// got = c truth, c a number of the claim.
std::vector<Explanation> factors(const Observation& evidence);

/// A step's adjoint that lacks a term, takes its derivative elsewhere, comes twice.
std::vector<Explanation> changed_adjoints(const Observation& evidence);

/// A parameter's gradient that sums other products.
std::vector<Explanation> changed_products(const Observation& evidence);

/// A pass that starts from other numbers: a parameter of another column.
std::vector<Explanation> changed_numbers(const Observation& evidence);

/// x or dy read by strides that are not its own.
std::vector<Explanation> changed_layouts(const Observation& evidence);

/// Statistics of another formula, or of another unit.
std::vector<Explanation> changed_statistics(const Observation& evidence);

/// Another text: two steps changed places, a step is left out, multiplied for divided.
std::vector<Explanation> changed_texts(const Observation& evidence);

/// UnitSums of a parameter's gradient over some rows or columns, found on the evidence: round ones
/// first. `looked` is how many had been looked at when it was found.
struct PartialSum {
  Explanation explanation;
  std::int64_t looked = 0;
  bool round = false;  ///< cut at a power of two, or at a multiple of one
};
std::vector<PartialSum> partial_sums(const Observation& evidence);

/// UnitSums of chunks of rows, each rounded to the storage type.
std::vector<Explanation> rounded_sums(const Observation& evidence);

/// The right numbers in another place, or rounded through another type.
std::vector<Explanation> misplaced(const Observation& all);

/// Not explained by a named number: the error is a multiple of a known term, another in each unit.
std::vector<Explanation> proportional(const Observation& evidence);

/// An explanation by changed rules.
Explanation explained_by(std::string words, Rules rules);

}  // namespace gradproof::diagnosis
