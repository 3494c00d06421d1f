// SPDX-License-Identifier: Apache-2.0
#include "core/graph/given_tensors.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/compare/verdict.h"
#include "core/error.h"
#include "core/nearest_word.h"

namespace gradproof {
namespace {

std::vector<std::string> input_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const GraphTensor& t : graph.tensors) names.push_back(t.name);
  for (const std::string& output : graph.outputs) names.push_back("d" + output);
  return names;
}

void require_known(const GivenFile& file, const std::vector<std::string>& known) {
  for (const auto& [name, tensor] : file.tensors)
    if (!has_name(known, name))
      throw UsageError(fmt::format("tensor '{}' of '{}' fits nothing; what does: {}{}", name,
                                   file.path, fmt::join(known, " "), did_you_mean(name, known)));
}

/// The axes as text: "[rows,cols]".
std::string axes_text(const std::vector<std::string>& axes) {
  return fmt::format("[{}]", fmt::join(axes, ","));
}

class Sizes {
 public:
  explicit Sizes(const Graph& graph) : graph_(graph) {}

  /// Takes a tensor with the axes of `of`, a tensor or value of the graph.
  void take(const std::string& name, const std::string& of, const GivenTensor& given,
            const GivenFile& file) {
    const std::vector<std::string>& axes = graph_.axes_of(of);
    const Shape shape = without_unit_axes(given.shape, axes.size());
    if (axes.size() != shape.size())
      throw UsageError(fmt::format(
          "'{}' of '{}' has the shape [{}], and axes {} in '{}'; name them: {}[...]", name,
          file.path, fmt::join(given.shape, ","), axes_text(axes), to_string(graph_), of));
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const auto [found, is_new] = seen_.try_emplace(axes[k], Seen{shape[k], name});
      if (!is_new && found->second.extent != shape[k])
        throw UsageError(fmt::format("axis '{}' is {} in '{}' and {} in '{}'", axes[k],
                                     found->second.extent, found->second.tensor, shape[k], name));
    }
  }

  /// Takes the type; labels must be whole numbers.
  void take_type(const std::string& name, const GivenTensor& given, bool labels) {
    if (labels && given.dtype != DType::i64)
      throw UsageError(fmt::format("'{}' has the dtype {}, and is labels: whole numbers", name,
                                   name_of(given.dtype)));
    if (given.is_read_wider && !labels) {
      read_wider_.push_back(name);
      return;
    }
    const auto is_it = [&](const GraphTensor& t) { return t.name == name && has_gradient(t.part); };
    const bool is_input = std::ranges::any_of(graph_.tensors, is_it);
    // A mask may have another type than what it chooses from.
    if (!labels && (!storage_ || (!is_of_input_ && is_input))) storage_ = given.dtype;
    is_of_input_ = is_of_input_ || is_input;
    types_.emplace(name, given.dtype);
  }

  /// The extents that a Case says, and the types; throws where windows leave other extents.
  GivenSizes result() const {
    const DType storage = storage_.value_or(DType::f32);
    DTypes types = types_;
    for (const std::string& name : read_wider_)
      types.emplace(name, storage == DType::f64 ? DType::f64 : DType::f32);
    GivenSizes sizes{{}, GraphTypes(graph_, storage, types)};
    for (const GraphAxis& axis : graph_.axes)
      if (axis.is_given()) sizes.extents[axis.name] = seen_.at(axis.name).extent;
    const GraphExtents all = graph_.extents(sizes.extents);
    for (const auto& [axis, seen] : seen_)
      if (all.at(axis) != seen.extent)
        throw UsageError(fmt::format("axis '{}' of '{}' is {}, and {} by the windows of '{}'", axis,
                                     seen.tensor, seen.extent, all.at(axis), to_string(graph_)));
    return sizes;
  }

 private:
  struct Seen {
    std::int64_t extent = 0;
    std::string tensor;
  };

  const Graph& graph_;
  std::map<std::string, Seen, std::less<>> seen_;
  std::optional<DType> storage_;  ///< of the first that has a gradient, else of one without labels
  bool is_of_input_ = false;      ///< it has a gradient
  DTypes types_;
  std::vector<std::string> read_wider_;
};

bool has_gradient(const Graph& graph, const GivenFile& outputs) {
  return std::any_of(graph.tensors.begin(), graph.tensors.end(),
                     [&](const GraphTensor& t) { return outputs.tensors.contains("d_" + t.name); });
}

}  // namespace

bool says_of_run(const std::map<std::string, std::string, std::less<>>& metadata) {
  return std::any_of(metadata.begin(), metadata.end(),
                     [](const auto& entry) { return outcome_of_run(entry.first).has_value(); });
}

Shape without_unit_axes(const Shape& shape, std::size_t axes) {
  const auto ones = static_cast<std::size_t>(std::count(shape.begin(), shape.end(), 1));
  if (shape.size() <= axes || shape.size() - axes != ones) return shape;
  Shape rest;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(rest),
               [](std::int64_t extent) { return extent != 1; });
  return rest;
}

std::vector<std::string> judged_names(const Graph& graph) {
  std::vector<std::string> names = graph.outputs;
  for (const GraphTensor& t : graph.tensors)
    if (has_gradient(t.part)) names.push_back("d_" + t.name);
  return names;
}

GivenSizes sizes_of_given(const Graph& graph, const GivenFile& inputs, const GivenFile& outputs) {
  require_known(inputs, input_names(graph));
  require_known(outputs, judged_names(graph));
  if (outputs.tensors.empty() && !outputs.explained)
    throw UsageError(fmt::format("'{}' has no tensor; what may be judged: {}", outputs.path,
                                 fmt::join(judged_names(graph), " ")));
  Sizes sizes(graph);
  const auto take = [&](const GivenFile& file, const std::string& name, const std::string& of,
                        bool labels) {
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end()) return false;
    sizes.take(name, of, found->second, file);
    sizes.take_type(name, found->second, labels);
    return true;
  };
  for (const GraphTensor& t : graph.tensors)
    if (!take(inputs, t.name, t.name, t.part == TensorPart::labels))
      throw UsageError(fmt::format("tensor '{}' is missing in '{}'", t.name, inputs.path));
  for (const std::string& output : graph.outputs) {
    if (!take(inputs, "d" + output, output, false) && has_gradient(graph, outputs))
      throw UsageError(
          fmt::format("'{}' has gradients, and their cotangent 'd{}' is missing in "
                      "'{}'",
                      outputs.path, output, inputs.path));
    take(outputs, output, output, false);
  }
  for (const GraphTensor& t : graph.tensors)
    if (has_gradient(t.part)) take(outputs, "d_" + t.name, t.name, false);
  return sizes.result();
}

}  // namespace gradproof
