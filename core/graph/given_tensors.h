// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/graph_types.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// Dtype and shape of a tensor that somebody gives.
struct GivenTensor {
  DType dtype = DType::f32;
  Shape shape;
  bool is_read_wider = false;  ///< as ElementType says (tensor_files/stored_tensor.h)
};

/// The tensors of a file by name: inputs and cotangents ("dy"), or outputs and gradients ("d_x").
struct GivenFile {
  std::string path;  ///< for messages
  std::map<std::string, GivenTensor, std::less<>> tensors;
  bool explained = false;  ///< it says why tensors are missing: then it may have none
};

/// True if a file's metadata says what became of the run that wrote it (outcome_of_run()).
bool says_of_run(const std::map<std::string, std::string, std::less<>>& metadata);

/// The shape without its axes of length 1, if exactly `axes` axes are left: a bias of shape [8,1,1]
/// is one of axes [c]. Otherwise the shape is returned as it is.
Shape without_unit_axes(const Shape& shape, std::size_t axes);

/// The extents and types that follow from given tensors.
struct GivenSizes {
  GraphExtents extents;  ///< of the axes that a Case says
  GraphTypes types;
};

/// The names that may stand in a file of outputs, in the order in which they are judged.
std::vector<std::string> judged_names(const Graph& graph);

/// The extents and types of given tensors; the storage type is that of the first without labels. A
/// tensor that is read wider is one of f32, of f64 where the storage type is that.
/// Throws UsageError, with name and file, for
///   - a tensor that fits nothing, with what would, and a tensor of the graph that is missing
///   - another number of axes than the graph says, and axes that differ between tensors
///   - labels that are not whole, float64 beside another dtype
///   - no output at all, and gradients without their cotangents
GivenSizes sizes_of_given(const Graph& graph, const GivenFile& inputs, const GivenFile& outputs);

}  // namespace gradproof
