// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/oracle.h"
#include "oracles/pipeline/geometry.h"
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// The parameters and buffers that one unit meets, exact in T; x and dy are left as they are.
template <class T>
void gather_numbers(Unit<T>& into, const CompiledPipeline& compiled, const Claim& claim,
                    const Tensors& inputs, std::int64_t unit) {
  const Geometry geometry(claim);
  into.numbers.resize(compiled.numbers.size());
  for (std::size_t slot = 0; slot < compiled.numbers.size(); ++slot) {
    const bool shared = compiled.numbers[slot].shared;
    const Tensor& tensor = get(inputs, compiled.numbers[slot].name);
    Values<T>& numbers = into.numbers[slot];
    numbers.clear();
    for (std::int64_t i = 0; i < (shared ? 1 : geometry.columns()); ++i)
      numbers.push_back(T(tensor.at(shared ? 0 : geometry.first_column(unit) + i)));
  }
  for (const TensorSpec& spec : claim.tensors)
    if (spec.role == Role::buffer && spec.dtype == DType::i64)
      into.batches = get(inputs, spec.name).at(0);
}

/// One unit's numbers out of the tensors, exact in T.
template <class T>
Unit<T> gather(const Claim& claim, const Tensors& inputs, std::int64_t unit) {
  const Geometry geometry(claim);
  Unit<T> result;
  gather_numbers(result, CompiledPipeline(claim), claim, inputs, unit);
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role != Role::input && spec.role != Role::cotangent) continue;
    const Tensor& tensor = get(inputs, spec.name);
    Values<T>& values = spec.role == Role::input ? result.x : result.dy;
    for (std::int64_t i = 0; i < geometry.unit_size(); ++i)
      values.push_back(T(tensor.at(geometry.first(unit) + i * geometry.stride())));
  }
  return result;
}

/// The statistics that a backward pass was given for one unit; a claim without a norm has none.
template <class T>
std::optional<Statistics<T>> given_for(const std::optional<GivenStatistics>& given,
                                       std::int64_t unit) {
  if (!given || given->mean.numel() == 0) return std::nullopt;
  return Statistics<T>{T(given->mean.at(unit)), T(0), T(given->rstd.at(unit))};
}

}  // namespace gradproof
