// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/digest.h"

#include <fmt/format.h>

namespace gradproof {

namespace {

std::uint64_t add(std::uint64_t hash, const std::byte* from, std::size_t bytes) {
  for (std::size_t b = 0; b < bytes; ++b)
    hash = (hash ^ std::to_integer<std::uint64_t>(from[b])) * 1099511628211ull;
  return hash;
}

}  // namespace

std::string digest(const Tensor& tensor) {
  const std::size_t size = size_of(tensor.dtype());
  const auto count = static_cast<std::size_t>(tensor.numel());
  std::uint64_t hash = 14695981039346656037ull;
  if (tensor.is_dense()) {
    hash = add(hash, tensor.first(), count * size);
  } else {
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      hash = add(hash, tensor.bytes().data() + static_cast<std::size_t>(tensor.position(i)) * size,
                 size);
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace gradproof
