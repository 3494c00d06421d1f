// SPDX-License-Identifier: Apache-2.0
// These hypotheses read a tensor's numbers from other places: by other strides, or a neighbour's.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/graph/name_rules.h"
#include "core/graph/stages.h"
#include "oracles/diagnosis/edited_graph.h"
#include "oracles/diagnosis/hypotheses.h"
#include "oracles/diagnosis/lines.h"
#include "oracles/diagnosis/same_places.h"

namespace gradproof::diagnosis {
namespace {

/// The tensor whose element i is element from(i) of this one; NaN for kNowhere.
template <class From>
Tensor read_from(const Tensor& tensor, const From& from) {
  return made_of(tensor, [&](std::int64_t i) {
    const std::int64_t other = from(i);
    return other == kNowhere ? std::nan("") : tensor.at(other);
  });
}

/// Adds the hypothesis that a tensor is read by another layout from the same memory.
void add_layout(const WrongTensor& whole, const std::string& name, const std::string& how,
                Layout layout, Hypotheses& all) {
  const Tensor& tensor = get(whole.inputs, name);
  const Layout& own = tensor.layout();
  if (layout.strides == own.strides || layout.shape != own.shape || numel(own.shape) == 0) return;
  layout.offset = own.offset;
  layout.capacity = own.capacity;
  if (layout.position(tensor.numel() - 1) >= own.capacity || layout.is_sparse()) return;
  const auto read = [from = same_places(layout, own)](const Tensor& t) {
    return read_from(t, [&](std::int64_t i) { return from[static_cast<std::size_t>(i)]; });
  };
  all.push_back(changed_places(fmt::format("{} is read {}", name, how), name, read));
}

/// A place along an axis from which a number is read in place of its own. Beyond the ends it is its
/// own.
struct MovedNumber {
  const char* text;
  std::int64_t (*source)(std::int64_t i, std::int64_t last);
  bool of_vectors = false;  ///< nobody does it with a matrix
};

constexpr std::array<MovedNumber, 4> kMoved{{
    {"{} at 0 of {} is taken for all of it",
     [](std::int64_t, std::int64_t) { return std::int64_t{0}; }},
    {"{} of the number before along {} is taken",
     [](std::int64_t i, std::int64_t) { return i - 1; }},
    {"{} of the number behind along {} is taken",
     [](std::int64_t i, std::int64_t) { return i + 1; }},
    {"{} is read backwards along {}", [](std::int64_t i, std::int64_t last) { return last - i; },
     true},
}};

void add_moved(const WrongTensor& whole, const std::string& name, const std::string& axis,
               Hypotheses& all) {
  const std::vector<std::string> axes = axes_named(whole.claim, name);
  if (whole.claim.extents.at(axis) < 2) return;
  for (const MovedNumber& moved : kMoved) {
    if (moved.of_vectors && axes.size() > 1) continue;
    if (axes.size() == 1 && &moved == &kMoved.front()) continue;  // add_tensors() has it
    const Line line = line_along(whole.claim.extents, axes, axis);
    all.push_back(changed_places(fmt::format(fmt::runtime(moved.text), name, axis), name,
                                 [line, moved](const Tensor& t) {
                                   return read_from(t, [&](std::int64_t i) {
                                     const std::int64_t last = line.extent - 1;
                                     const std::int64_t to = moved.source(line.along(i), last);
                                     return to < 0 || to > last ? i : line.moved(i, to);
                                   });
                                 }));
  }
}

/// A parameter of a group_norm's channels that is read by the group.
struct ByGroup {
  const char* text;
  std::int64_t (*source)(std::int64_t channel, std::int64_t width);
};

constexpr std::array<ByGroup, 3> kByGroup{{
    {"{} is read by group, not by channel",
     [](std::int64_t channel, std::int64_t width) { return channel / width; }},
    {"{} is read by the channel within its group",
     [](std::int64_t channel, std::int64_t width) { return channel % width; }},
    {"{} of its group's first channel is taken",
     [](std::int64_t channel, std::int64_t width) { return channel / width * width; }},
}};

void add_by_group(const WrongTensor& whole, const GraphStep& norm, Hypotheses& all) {
  const std::string& axis = norm.axes.front();
  const std::int64_t width = whole.claim.extents.at(axis) / group_count(norm);
  if (width < 2) return;
  for (const GraphTensor& tensor : whole.claim.graph.tensors) {
    if (tensor.axes != std::vector<std::string>{axis}) continue;
    for (const ByGroup& read : kByGroup) {
      all.push_back(changed_places(fmt::format(fmt::runtime(read.text), tensor.name), tensor.name,
                                   [read, width](const Tensor& t) {
                                     return read_from(
                                         t, [&](std::int64_t i) { return read.source(i, width); });
                                   }));
    }
  }
}

bool has_numbers(const WrongTensor& whole, const std::string& name) {
  const auto found = whole.inputs.find(name);
  return found != whole.inputs.end() && found->second.dtype() != DType::i64 &&
         found->second.numel() > 1;
}

/// Tensors and cotangents that have numbers.
std::vector<std::string> read_tensors(const WrongTensor& whole) {
  std::vector<std::string> all;
  for (const GraphTensor& tensor : whole.claim.graph.tensors)
    if (has_numbers(whole, tensor.name)) all.push_back(tensor.name);
  for (const std::string& output : whole.claim.graph.outputs)
    if (whole.is_gradient() && has_numbers(whole, cotangent_name(output)))
      all.push_back(cotangent_name(output));
  return all;
}

}  // namespace

void add_layouts(const WrongTensor& whole, Hypotheses& all) {
  const std::vector<std::string> names = read_tensors(whole);
  for (const std::string& name : names) {
    const Layout& own = get(whole.inputs, name).layout();
    if (own.is_sparse()) continue;
    add_layout(whole, name, "as if its numbers lay behind one another",
               Layout::contiguous(own.shape), all);
    for (const std::string& other : names)
      if (other != name)
        add_layout(whole, name, fmt::format("with the strides of {}", other),
                   get(whole.inputs, other).layout(), all);
    if (own.shape.size() == 2)
      add_layout(whole, name, "transposed", {own.shape, {1, own.shape[0]}, 0, 0}, all);
  }
}

void add_places(const WrongTensor& whole, Hypotheses& all) {
  for (const std::string& name : read_tensors(whole)) {
    const std::vector<std::string> axes = axes_named(whole.claim, name);
    if (axes.size() > 2) continue;
    add_moved(whole, name, axes.front(), all);
  }
  for (const GraphStep& step : whole.claim.graph.steps)
    if (has_groups(step)) add_by_group(whole, step, all);
}

}  // namespace gradproof::diagnosis
