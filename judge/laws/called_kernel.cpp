// SPDX-License-Identifier: Apache-2.0
#include "judge/laws/called_kernel.h"

#include <cstring>

#include "core/error.h"
#include "core/graph/graph_case.h"
#include "core/graph/graph_types.h"
#include "kernels/own/own_kernel.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {
namespace {

/// The tensors of an own kernel's call are contiguous.
std::size_t bytes_of(const View& view) {
  return static_cast<std::size_t>(numel(view.shape)) * size_of(view.dtype);
}

Tensor copied(const View& view) {
  Tensor tensor(view.dtype, view.shape);
  std::memcpy(tensor.data(), view.data, bytes_of(view));
  return tensor;
}

Tensors given_to(const Graph& graph, const Call& call, bool backward) {
  Tensors given;
  for (const GraphTensor& tensor : graph.tensors)
    given.emplace(tensor.name, copied(call.view(tensor.name)));
  for (const std::string& output : graph.outputs)
    if (backward) given.emplace("d" + output, copied(call.view("d" + output)));
  return given;
}

std::vector<std::string> results_of(const Graph& graph, bool backward) {
  if (!backward) return graph.outputs;
  std::vector<std::string> names;
  for (const GraphTensor& tensor : graph.tensors)
    if (has_gradient(tensor.part)) names.push_back("d_" + tensor.name);
  return names;
}

EntryPoints::Function entry_of(const Graph& graph, const CalledPass& pass, bool backward) {
  return [=](const Call& call) {
    const Tensors got = pass(given_to(graph, call, backward), backward);
    for (const std::string& name : results_of(graph, backward)) {
      const View& view = call.view(name);
      const auto found = got.find(name);
      if (found == got.end()) {
        Tensor zeros(view.dtype, view.shape);
        for (std::int64_t i = 0; i < zeros.numel(); ++i) zeros.set(i, 0);
        std::memcpy(view.data, zeros.data(), bytes_of(view));
      } else if (found->second.dtype() != view.dtype || found->second.shape() != view.shape) {
        throw UsageError("'" + name + "' has another type or shape than the graph says");
      } else {
        std::memcpy(view.data, found->second.first(), bytes_of(view));
      }
    }
  };
}

}  // namespace

Kernel called_kernel(const Case& c, const CalledPass& pass) {
  const Graph graph = graph_of(c);
  OwnKernel own;
  own.word = "called";
  own.pipeline = c.schema().pipeline;
  own.forward = entry_of(graph, pass, false);
  if (!c.is("op", "forward")) own.backward = entry_of(graph, pass, true);
  own.dtypes = {DType::f32, DType::f64, DType::f16, DType::bf16};
  own.deterministic = c.is("deterministic", "yes");
  Kernel kernel = system_of(own);
  kernel.schema = c.schema_pointer();
  return kernel;
}

namespace {

/// The extents that the shapes of given tensors say.
GraphExtents extents_of_given(const Graph& graph, const Tensors& given) {
  GraphExtents said;
  for (const GraphTensor& tensor : graph.tensors)
    for (std::size_t d = 0; d < tensor.axes.size(); ++d)
      said[tensor.axes[d]] = get(given, tensor.name).shape()[d];
  return graph.extents(said);
}

Tensor zeros_for(const Graph& graph, const std::string& value, const GraphExtents& extents,
                 DType dtype) {
  Shape shape;
  for (const std::string& axis : graph.axes_of(value)) shape.push_back(extents.at(axis));
  Tensor zeros(dtype, shape);
  for (std::int64_t i = 0; i < zeros.numel(); ++i) zeros.set(i, 0);
  return zeros;
}

}  // namespace

CalledPass libtorch_pass(const Case& c) {
  const Graph graph = graph_of(c);
  const GraphTypes types = types_of(graph, c);
  return [=](Tensors given, bool backward) {
    const GraphExtents extents = extents_of_given(graph, given);
    for (const std::string& output : graph.outputs)
      if (!backward)
        given.emplace("d" + output, zeros_for(graph, output, extents, types.of("d" + output)));
    return graph_in_libtorch(graph, given, types);
  };
}

}  // namespace gradproof
