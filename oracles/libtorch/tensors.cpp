// SPDX-License-Identifier: Apache-2.0
#include "oracles/libtorch/tensors.h"

#include <array>
#include <cstring>
#include <utility>

#include <ATen/ATen.h>

#include "core/error.h"

namespace gradproof {
namespace {

constexpr std::array<std::pair<DType, at::ScalarType>, 5> kTypes{{{DType::f32, at::kFloat},
                                                                  {DType::f64, at::kDouble},
                                                                  {DType::f16, at::kHalf},
                                                                  {DType::bf16, at::kBFloat16},
                                                                  {DType::i64, at::kLong}}};

DType dtype_of(at::ScalarType type) {
  for (const auto& [dtype, other] : kTypes)
    if (other == type) return dtype;
  throw InstrumentError("LibTorch's result has a type that no claim has");
}

}  // namespace

at::ScalarType scalar_type_of(DType dtype) {
  for (const auto& [own, other] : kTypes)
    if (own == dtype) return other;
  throw InstrumentError("LibTorch has no such type");
}

at::Tensor to_torch(const Tensor& tensor, DType dtype) {
  at::Tensor value = at::empty(tensor.shape(), scalar_type_of(dtype));
  if (tensor.numel() == 0) return value;
  const auto fill = [&](const Tensor& from) {
    std::memcpy(value.mutable_data_ptr(), from.first(), value.nbytes());
  };
  if (tensor.dtype() == dtype && tensor.is_dense()) {
    fill(tensor);
    return value;
  }
  Tensor copy(dtype, tensor.shape());
  for (std::int64_t i = 0; i < tensor.numel(); ++i) copy.set(i, tensor.at(i));
  fill(copy);
  return value;
}

Tensor from_torch(const at::Tensor& value, const Shape& shape) {
  Tensor copy(dtype_of(value.scalar_type()), shape);
  if (value.numel() != copy.numel())
    throw InstrumentError("LibTorch's result has " + std::to_string(value.numel()) +
                          " elements, the claim " + std::to_string(copy.numel()));
  const at::Tensor flat = value.detach().contiguous();
  if (copy.numel() > 0) std::memcpy(copy.data(), flat.const_data_ptr(), copy.bytes().size());
  return copy;
}

}  // namespace gradproof
