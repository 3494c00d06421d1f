// SPDX-License-Identifier: Apache-2.0
#include "kernels/harness/other_call.h"

#include <algorithm>
#include <vector>

namespace gradproof {

Tensor other_numbers(const TensorSpec& spec, const Tensor& numbers) {
  constexpr std::int64_t kAtOnce = 4096;
  Tensor other = numbers;
  const std::int64_t all = numbers.numel();
  const bool whole = spec.dtype == DType::i64;
  const bool signs = spec.role != Role::buffer && !whole;
  const double more = whole && spec.role == Role::buffer ? 1 : 0;
  std::vector<double> line(static_cast<std::size_t>(std::min(kAtOnce, all)));
  for (std::int64_t i = 0; i < all; i += kAtOnce) {
    const std::int64_t count = std::min(kAtOnce, all - i);
    numbers.read(all - i - count, 1, count, line.data());
    std::reverse(line.begin(), line.begin() + count);
    for (std::int64_t k = 0; k < count; ++k) {
      double& number = line[static_cast<std::size_t>(k)];
      number = signs && k % 2 == 0 ? -number : number + more;
    }
    other.write(i, count, line.data());
  }
  return other;
}

Claim without_sparse_layouts(Claim claim) {
  for (TensorSpec& spec : claim.tensors)
    if (spec.layout.is_sparse()) spec.layout = Layout::contiguous(spec.layout.shape);
  return claim;
}

}  // namespace gradproof
