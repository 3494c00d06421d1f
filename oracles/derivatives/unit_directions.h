// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/tensor/philox.h"
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/pipeline/compiled_pipeline.h"
#include "oracles/pipeline/geometry.h"
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// A tensor that has a gradient, and its slot among the numbers of a unit.
struct Differentiated {
  std::string name;  ///< x, weight, ...
  Movable movable;
  bool shared = false;  ///< one number for all columns
};

/// The tensors of a claim that have a gradient, in the claim's order.
std::vector<Differentiated> differentiated(const Claim& claim, const CompiledPipeline& compiled);

/// How many numbers of the tensor a unit contains, and the entry of the tensor at a place of a
/// unit.
std::int64_t places(const Differentiated& tensor, const Geometry& geometry);
std::int64_t entry_of(const Differentiated& tensor, const Geometry& geometry, std::int64_t unit,
                      std::int64_t place);

/// Standard normal numbers, one for each entry of a tensor; returns those of a unit, by place.
Values<double> random_direction(const Differentiated& tensor, const Geometry& geometry,
                                std::int64_t unit, std::uint64_t seed);

/// `wanted` of the indices 0 ... count - 1, ascending, one at random from each of `wanted` equal
/// ranges; all indices where there are no more.
std::vector<std::int64_t> spread_over(std::int64_t count, std::int64_t wanted,
                                      const Stream& stream);

}  // namespace gradproof
