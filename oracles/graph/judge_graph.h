// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/graph/graph.h"
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/plan.h"
#include "oracles/oracle.h"

namespace gradproof {

/// A graph with the extents of its axes and the contract of what computes it.
struct GraphClaim {
  Graph graph;
  GraphExtents extents;
  GraphContract contract;

  Shape shape_of(std::string_view tensor_or_value) const;
  /// Of a tensor that is given: labels are i64, all else the storage type.
  DType dtype_of(const GraphTensor& tensor) const;
};

/// Names of what backward is given and gives: "dy" for the output y, "d_x" for the tensor x.
std::string cotangent_name(std::string_view output);
std::string gradient_name(std::string_view tensor);

/// Compares outputs and gradients with their truth, block by block. `inputs` has all tensors and a
/// cotangent for each output, `got` each output and each gradient. Throws UsageError for labels that
/// are out of range.
std::map<std::string, Judged, std::less<>> judge_graph(const GraphClaim& claim,
                                                       const Tensors& inputs, const Tensors& got);

}  // namespace gradproof
