// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/dtype.h"
#include "oracles/diagnosis/fit.h"
#include "oracles/diagnosis/nodes.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof::diagnosis {

/// The positions that a sample keeps of each axis that is cut, in rising order.
using KeptPlaces = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

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
  /// The tensor that this one is a sample of; null otherwise.
  const WrongTensor* whole = nullptr;
  KeptPlaces kept = {};  ///< of a sample
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
/// hypothesis that fits nothing there fits nothing. Of a graph with products eight times as many
/// along each other axis that can be cut. Returns nullopt if the tensor lacks the axis of blocks,
/// because all numbers decide each of its elements, or if that is not twice as long. The sample
/// refers to `whole`.
std::optional<WrongTensor> sample_of(const WrongTensor& whole, std::int64_t count);
/// The input of that name as function(tensor) of the whole one; of a sample the sample's part.
Tensor changed_input(const WrongTensor& asked, const std::string& name,
                     const std::function<Tensor(const Tensor&)>& function);

}  // namespace gradproof::diagnosis
