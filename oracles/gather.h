// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/geometry.h"
#include "oracles/oracle.h"
#include "oracles/stage.h"

namespace gradproof {

/// The parameters and buffers that one unit meets, exact in T; x and dy are left empty.
template <class T>
Unit<T> gather_numbers(const Claim& claim, const Tensors& inputs, std::int64_t unit) {
  const Geometry geometry(claim);
  Unit<T> result;
  result.channels = geometry.channels();
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role != Role::parameter && spec.role != Role::buffer) continue;
    const Tensor& tensor = get(inputs, spec.name);
    if (spec.dtype == DType::i64) {
      result.batches = tensor.at(0);
      continue;
    }
    const bool shared = tensor.numel() == 1 && claim.cols > 1;
    Values<T>& numbers = result.numbers[spec.name];
    for (std::int64_t i = 0; i < (shared ? 1 : geometry.columns()); ++i)
      numbers.push_back(T(tensor.at(shared ? 0 : geometry.first_column(unit) + i)));
    if (shared) result.shared.insert(spec.name);
  }
  return result;
}

/// One unit's numbers out of the tensors, exact in T.
template <class T>
Unit<T> gather(const Claim& claim, const Tensors& inputs, std::int64_t unit) {
  const Geometry geometry(claim);
  Unit<T> result = gather_numbers<T>(claim, inputs, unit);
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
