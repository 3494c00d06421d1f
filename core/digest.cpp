// SPDX-License-Identifier: Apache-2.0
#include "core/digest.h"

#include <fmt/format.h>

namespace gradproof {

std::string digest(const Tensor& tensor) {
  const std::size_t bytes = size_of(tensor.dtype());
  std::uint64_t hash = 14695981039346656037ull;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const std::byte* at =
        tensor.bytes().data() + static_cast<std::size_t>(tensor.layout().position(i)) * bytes;
    for (std::size_t b = 0; b < bytes; ++b)
      hash = (hash ^ std::to_integer<std::uint64_t>(at[b])) * 1099511628211ull;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace gradproof
