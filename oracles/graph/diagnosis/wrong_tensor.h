// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracles/diagnosis/fit.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof::diagnosis {

/// A tensor of a graph that is wrong, beside its truth.
struct WrongTensor {
  GraphClaim claim;
  Tensors inputs;
  std::string name;  ///< of an output ("y") or of a gradient ("d_x")
  Tensor got;
  std::vector<ComparedEntry> entries;  ///< all, in row-major order

  bool is_gradient() const;
  std::int64_t wrong() const;
};

/// `got` beside the truth that the claim gives it. Throws as truths_of_graph() does.
WrongTensor wrong_tensor(const GraphClaim& claim, const Tensors& inputs, const std::string& name,
                         const Tensor& got);

/// Some numbers along the axis that blocks are cut from, those with wrong entries among them: a
/// hypothesis that fits nothing there fits nothing. Returns nullopt if the tensor lacks that axis,
/// because all numbers decide each of its elements, or if the axis is short.
std::optional<WrongTensor> sample_of(const WrongTensor& whole);

}  // namespace gradproof::diagnosis
