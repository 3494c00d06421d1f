// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/explain/explain.h"
#include "oracles/explain/site.h"

namespace gradproof {

/// The passages of the element at index `place` of one unit: the fields forward, backward and
/// statistics of an Explanation. Without `backward` the cotangents are left out.
struct Trace {
  std::vector<Passage> forward;
  std::vector<Passage> backward;
  std::vector<Passage> statistics;
};
Trace trace_of(const Claim& claim, const Tensors& inputs,
               const std::optional<GivenStatistics>& given, std::int64_t unit, std::int64_t place,
               bool backward);

}  // namespace gradproof
