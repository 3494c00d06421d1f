// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/families.h"
#include "oracles/diagnosis/messages.h"

namespace gradproof::diagnosis {
namespace {

/// A parameter is read at column source(c) in place of c; both are columns of the whole claim.
Explanation moved_parameter(std::size_t slot, std::string text,
                            std::function<std::int64_t(std::int64_t)> source) {
  Rules rules;
  rules.prepare = [slot, source = std::move(source)](ReplayedPipeline& replayed) {
    const Tensor& tensor = get(replayed.question->inputs, replayed.compiled.numbers[slot].name);
    for (std::size_t col = 0; col < replayed.part.columns.size(); ++col) {
      const std::int64_t from = source(replayed.part.columns[col]);
      if (from >= 0 && from < tensor.numel()) replayed.numbers[slot][col] = exact(tensor.at(from));
    }
  };
  return explained_by(std::move(text), std::move(rules));
}

void add_parameter(std::vector<Explanation>& all, const ReplayedPipeline& replayed,
                   std::size_t slot) {
  const std::string& name = replayed.compiled.numbers[slot].name;
  const Claim& claim = replayed.question->claim;
  const bool factor = name == "weight" || name == "scale" || name == "multiply";
  for (const double number : {factor ? 1.0 : 0.0, factor ? 0.0 : 1.0}) {
    Rules rules;
    rules.prepare = [slot, number](ReplayedPipeline& s) {
      for (TrackedReal& v : s.numbers[slot]) v = exact(number);
    };
    all.push_back(explained_by(fmt::format("{} is taken as {}", name, number), rules));
  }
  if (replayed.compiled.numbers[slot].shared || claim.cols == 1) return;
  const auto add = [&](std::string text, std::function<std::int64_t(std::int64_t)> source) {
    all.push_back(moved_parameter(slot, std::move(text), std::move(source)));
  };
  add(fmt::format("{} of column 0 is taken for all columns", name), [](std::int64_t) { return 0; });
  add(fmt::format("{} of the column before is taken", name), [](std::int64_t c) { return c - 1; });
  add(fmt::format("{} of the column behind is taken", name), [](std::int64_t c) { return c + 1; });
  add(fmt::format("{} is read from the last column backwards", name),
      [last = claim.cols - 1](std::int64_t c) { return last - c; });
  if (claim.groups == 0) return;
  const std::int64_t width = claim.block_width();
  add(fmt::format("{} is read by group, not by channel", name),
      [width](std::int64_t c) { return c / width; });
  add(fmt::format("{} is read by the channel within its group", name),
      [width](std::int64_t c) { return c % width; });
  add(fmt::format("{} of its group's first channel is taken", name),
      [width](std::int64_t c) { return c / width * width; });
}

/// x or dy is read by another layout.
void add_layouts(std::vector<Explanation>& all, const ReplayedPipeline& replayed,
                 const TensorSpec& spec, const TensorSpec& other) {
  const Tensor& tensor = get(replayed.question->inputs, spec.name);
  const auto add = [&](const std::string& text, Layout layout) {
    if (layout.strides == tensor.layout().strides || tensor.numel() == 0) return;
    std::int64_t last = tensor.layout().offset;
    for (std::size_t axis = 0; axis < layout.shape.size(); ++axis)
      last += (layout.shape[axis] - 1) * layout.strides[axis];
    if (last >= tensor.layout().capacity || layout.is_sparse()) return;
    Rules rules;
    rules.prepare = [name = spec.name, layout](ReplayedPipeline& s) {
      (name == "dy" ? s.dy : s.x) = reread(s, get(s.question->inputs, name), layout);
    };
    all.push_back(explained_by(text, rules));
  };
  if (tensor.layout().is_sparse()) return;
  const Shape& shape = tensor.shape();
  add(fmt::format("{} is read as if its rows lay behind one another", spec.name),
      Layout::contiguous(shape));
  add(fmt::format("{} is read with the strides of {}", spec.name, other.name), other.layout);
  if (shape.size() != 2) return;
  add(fmt::format("{} is read transposed", spec.name), Layout{shape, {1, shape[0]}, 0, 0});
}

void add_rows(std::vector<Explanation>& all, const std::string& name) {
  const auto add = [&](const std::string& text, std::int64_t shift) {
    Rules rules;
    rules.prepare = [name, shift](ReplayedPipeline& s) {
      (name == "dy" ? s.dy : s.x) =
          from_rows(s, get(s.question->inputs, name),
                    [shift](std::int64_t row) { return shift == 0 ? 0 : row + shift; });
    };
    all.push_back(explained_by(text, rules));
  };
  add(fmt::format("{} of row 0 is taken for all rows", name), 0);
  add(fmt::format("{} of the row before is taken", name), -1);
  add(fmt::format("{} of the row behind is taken", name), 1);
  Rules ones;
  ones.prepare = [name](ReplayedPipeline& s) {
    (name == "dy" ? s.dy : s.x) = shared(Matrix(static_cast<std::size_t>(s.size()), exact(1)));
  };
  if (name == "dy") all.push_back(explained_by("dy is taken as 1", ones));
}

}  // namespace

std::vector<Explanation> changed_layouts(const Observation& observation) {
  const ReplayedPipeline& replayed = observation.replayed;
  const Claim& claim = replayed.question->claim;
  std::vector<Explanation> all;
  add_layouts(all, replayed, claim.tensor("dy"), claim.tensor("x"));
  add_layouts(all, replayed, claim.tensor("x"), claim.tensor("dy"));
  return all;
}

std::vector<Explanation> changed_numbers(const Observation& observation) {
  const ReplayedPipeline& replayed = observation.replayed;
  std::vector<Explanation> all;
  add_rows(all, "dy");
  add_rows(all, "x");
  for (std::size_t slot = 0; slot < replayed.compiled.numbers.size(); ++slot)
    if (replayed.compiled.numbers[slot].gradient) add_parameter(all, replayed, slot);
  return all;
}

}  // namespace gradproof::diagnosis
