// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
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
  std::byte unwritten = std::byte{0xFF};    ///< of memory that nobody wrote
  std::vector<ComparedEntry> entries = {};  ///< all, in row-major order
  /// By entry the line on which one number, a factor or a summand, is all that is wrong: its
  /// entries are one piece of evidence. Empty if there are no such lines.
  std::vector<std::int64_t> lines = {};
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
/// Gives the tensor its lines: those of the axis that has fewest of them.
void take_lines(WrongTensor& whole);
/// Gives a wrong gradient its nodes.
void take_nodes(WrongTensor& whole);

/// As many numbers along the axis that blocks are cut from, those with the most wrong entries: a
/// hypothesis that fits nothing there fits nothing. Returns nullopt if the tensor lacks that axis,
/// because all numbers decide each of its elements, or if the axis is not twice as long.
std::optional<WrongTensor> sample_of(const WrongTensor& whole, std::int64_t count);

}  // namespace gradproof::diagnosis
