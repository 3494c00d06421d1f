// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/given_tensors.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/given_tensors.h"
#include "core/graph/graph_case.h"
#include "tensor_files/safetensors.h"

namespace gradproof {
namespace {

GivenFile described(const std::string& path, const Tensors& tensors) {
  GivenFile file{path, {}};
  for (const auto& [name, t] : tensors)
    file.tensors.emplace(name, GivenTensor{t.dtype(), t.shape()});
  return file;
}

/// The files may be others than those that the Case was written for.
void require_same(const Case& c, const GivenSizes& sizes) {
  for (const auto& [axis, extent] : sizes.extents)
    if (c.integer(axis) != extent)
      throw UsageError(fmt::format("axis '{}' is {} in '{}', and {} in the Case", axis, extent,
                                   c.text("outputs"), c.integer(axis)));
  if (parse_dtype(c.text("dtype")) != sizes.dtype)
    throw UsageError(fmt::format("the tensors of '{}' have the dtype {}, and the Case has {}",
                                 c.text("outputs"), name_of(sizes.dtype), c.text("dtype")));
}

}  // namespace

GivenTensors given_tensors(const Case& c, const Graph& graph) {
  GivenTensors given{read_safetensors(c.text("inputs")), read_safetensors(c.text("outputs"))};
  const GivenSizes sizes = sizes_of_given(graph, described(c.text("inputs"), given.inputs),
                                          described(c.text("outputs"), given.outputs));
  require_same(c, sizes);
  const GraphExtents extents = extents_of(graph, c);
  for (const std::string& output : graph.outputs) {
    if (given.inputs.contains("d" + output)) continue;
    Shape shape;
    for (const std::string& axis : graph.axes_of(output)) shape.push_back(extents.at(axis));
    Tensor zeros(sizes.dtype, shape);
    for (std::int64_t i = 0; i < zeros.numel(); ++i) zeros.set(i, 0);
    given.inputs.emplace("d" + output, std::move(zeros));
  }
  return given;
}

}  // namespace gradproof
