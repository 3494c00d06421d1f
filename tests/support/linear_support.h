// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/tensor/philox.h"
#include "oracles/linear/linear.h"

namespace gradproof {

/// N(0,1), or whole numbers from -8 to 8.
inline Tensor random(const std::string& name, const Shape& shape, bool whole = false) {
  const Stream stream(1, name);
  Tensor tensor(DType::f32, shape);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    tensor.set(i, whole ? static_cast<double>(stream.bits(at) % 17) - 8 : stream.normal(at));
  }
  return tensor;
}

/// input weight^T in float32, in order of k; weight read transposed where K = N lets it.
inline Tensor product(const Tensor& input, const Tensor& weight, bool transposed = false) {
  const std::int64_t rows = input.shape()[0], in = input.shape()[1], out = weight.shape()[0];
  Tensor z(DType::f32, Shape{rows, out});
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < out; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < in; ++k)
        sum += static_cast<float>(input.at(i * in + k)) *
               static_cast<float>(weight.at(transposed ? k * out + j : j * in + k));
      z.set(i * out + j, sum);
    }
  return z;
}

}  // namespace gradproof
