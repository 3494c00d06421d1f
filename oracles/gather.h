// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/oracle.h"
#include "oracles/stage.h"

namespace gradproof {

/// One column's numbers out of the tensors, exact in T.
template <class T>
Unit<T> gather(const Claim& claim, const Tensors& inputs, std::int64_t column) {
  const auto read = [&](const Tensor& tensor) {
    Values<T> values;
    values.reserve(static_cast<std::size_t>(claim.rows));
    for (std::int64_t row = 0; row < claim.rows; ++row)
      values.emplace_back(tensor.at(row * claim.cols + column));
    return values;
  };
  Unit<T> unit;
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role == Role::output || spec.role == Role::gradient) continue;
    const Tensor& tensor = get(inputs, spec.name);
    if (spec.role == Role::input) {
      unit.x = read(tensor);
    } else if (spec.role == Role::cotangent) {
      unit.dy = read(tensor);
    } else if (spec.dtype == DType::i64) {
      unit.batches = tensor.at(0);
    } else {
      const bool one = tensor.numel() == 1;
      unit.numbers.emplace(spec.name, T(tensor.at(one ? 0 : column)));
      if (one && claim.cols > 1) unit.shared.insert(spec.name);
    }
  }
  return unit;
}

/// The same column with the statistics that a backward pass was given.
template <class T>
Unit<T> with_given(Unit<T> unit, const GivenStatistics& given, std::int64_t column) {
  unit.given = Statistics<T>{T(given.mean.at(column)), T(0), T(given.rstd.at(column))};
  return unit;
}

}  // namespace gradproof
