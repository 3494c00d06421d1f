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

/// A tensor that has a gradient, and which of its entries a unit meets, by place.
struct Differentiated {
  std::string name;  ///< x, weight, ...
  Movable movable;
  bool shared = false;  ///< one number for all columns
};

/// All of a claim, in its order.
std::vector<Differentiated> differentiated(const Claim& claim, const CompiledPipeline& compiled);

std::int64_t places(const Differentiated& tensor, const Geometry& geometry);
std::int64_t entry_of(const Differentiated& tensor, const Geometry& geometry, std::int64_t unit,
                      std::int64_t place);

/// Standard normal numbers, one for each entry of a tensor; those that a unit meets, by place.
Values<double> random_direction(const Differentiated& tensor, const Geometry& geometry,
                                std::int64_t unit, std::uint64_t seed);

/// `wanted` of 0 ... count - 1, ascending, one from each of as many equal stretches; all of them
/// where there are no more.
std::vector<std::int64_t> spread_over(std::int64_t count, std::int64_t wanted,
                                      const Stream& stream);

}  // namespace gradproof
