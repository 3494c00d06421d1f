// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/dtype.h"
#include "oracles/diagnosis/fit.h"
#include "oracles/diagnosis/nodes.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof::diagnosis {

/// A tensor of a graph that is wrong, beside its truth.
struct WrongTensor {
  GraphClaim claim;
  Tensors inputs;
  Tensors statistics;  ///< given ones, that gradients start from (FurtherInputs), or empty
  std::string name;    ///< of an output ("y") or of a gradient ("d_x")
  Tensor got;
  std::vector<ComparedEntry> entries = {};  ///< all, in row-major order
  /// The nodes of a wrong gradient; null where nodes_of() has none, and before an explanation is
  /// sought.
  std::shared_ptr<const Nodes> nodes = {};

  bool is_gradient() const;
  std::int64_t wrong() const;
  std::vector<std::string> axes() const;  ///< of the tensor
  double unit() const { return unit_roundoff(got.dtype()); }
};

/// Gives the tensor its entries, `got` beside the truth that the claim gives it. Throws as
/// truths_of_graph() does.
void take_entries(WrongTensor& whole);
/// Gives a wrong gradient its nodes.
void take_nodes(WrongTensor& whole);

/// Some numbers along the axis that blocks are cut from, those with wrong entries among them: a
/// hypothesis that fits nothing there fits nothing. Returns nullopt if the tensor lacks that axis,
/// because all numbers decide each of its elements, or if the axis is short.
std::optional<WrongTensor> sample_of(const WrongTensor& whole);

}  // namespace gradproof::diagnosis
