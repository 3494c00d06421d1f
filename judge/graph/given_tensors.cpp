// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/given_tensors.h"

#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/given_tensors.h"
#include "core/graph/graph_case.h"
#include "tensor_files/given_file.h"
#include "tensor_files/tensor_file.h"

namespace gradproof {
namespace {

/// The tensor in the type that the Case has of it. Throws UsageError for a whole number that the
/// type has not.
void take_type(const std::string& name, DType type, Tensor& t) {
  if (t.dtype() == type) return;
  const double most = t.dtype() == DType::i64 ? std::ldexp(1.0, precision_of(type)) : HUGE_VAL;
  Tensor read(type, t.shape());
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    const double number = t.at(i);
    if (std::abs(number) > most)
      throw UsageError(
          fmt::format("'{}' has the whole number {:.0f}, and is read as {}, which has those up to "
                      "{:.0f}",
                      name, number, name_of(type), most));
    read.set(i, number);
  }
  t = std::move(read);
}

/// The files may be others than those that the Case was written for.
void require_same(const Graph& graph, const Case& c, const GivenSizes& sizes) {
  for (const auto& [axis, extent] : sizes.extents)
    if (c.integer(axis) != extent)
      throw UsageError(fmt::format("axis '{}' is {} in '{}', and {} in the Case", axis, extent,
                                   c.text("outputs"), c.integer(axis)));
  const GraphTypes types = types_of(graph, c);
  if (types.storage() != sizes.types.storage() || types.said() != sizes.types.said())
    throw UsageError(fmt::format(
        "the tensors of '{}' and '{}' have dtype={} dtypes={}, and the Case dtype={} dtypes={}",
        c.text("inputs"), c.text("outputs"), name_of(sizes.types.storage()), sizes.types.text(),
        name_of(types.storage()), types.text()));
}

/// The tensor with the axes that the line has of it.
void take_unit_axes(const Graph& graph, const std::string& of, Tensor& t) {
  const Shape shape = without_unit_axes(t.shape(), graph.axes_of(of).size());
  if (shape == t.shape()) return;
  Tensor fitting(t.dtype(), shape);
  std::vector<double> all(static_cast<std::size_t>(t.numel()));
  t.read(0, 1, t.numel(), all.data());
  fitting.write(0, t.numel(), all.data());
  t = std::move(fitting);
}

void take_unit_axes(const Graph& graph, GivenTensors& given) {
  const auto take = [&](Tensors& tensors, const std::string& name, const std::string& of) {
    if (const auto found = tensors.find(name); found != tensors.end())
      take_unit_axes(graph, of, found->second);
  };
  for (const GraphTensor& t : graph.tensors) {
    take(given.inputs, t.name, t.name);
    take(given.outputs, "d_" + t.name, t.name);
  }
  for (const std::string& output : graph.outputs) {
    take(given.inputs, "d" + output, output);
    take(given.outputs, output, output);
  }
}

}  // namespace

GivenTensors given_tensors(const Case& c, const Graph& graph) {
  GivenTensors given{read_tensor_file(c.text("inputs")), read_tensor_file(c.text("outputs"))};
  const GivenSizes sizes =
      sizes_of_given(graph, given_file_at(c.text("inputs")), given_file_at(c.text("outputs")));
  require_same(graph, c, sizes);
  for (Tensors* const tensors : {&given.inputs, &given.outputs})
    for (auto& [name, tensor] : *tensors) take_type(name, sizes.types.of(name), tensor);
  take_unit_axes(graph, given);
  const GraphExtents extents = extents_of(graph, c);
  for (const std::string& output : graph.outputs) {
    if (given.inputs.contains("d" + output)) continue;
    Shape shape;
    for (const std::string& axis : graph.axes_of(output)) shape.push_back(extents.at(axis));
    Tensor zeros(sizes.types.of("d" + output), shape);
    for (std::int64_t i = 0; i < zeros.numel(); ++i) zeros.set(i, 0);
    given.inputs.emplace("d" + output, std::move(zeros));
  }
  return given;
}

}  // namespace gradproof
