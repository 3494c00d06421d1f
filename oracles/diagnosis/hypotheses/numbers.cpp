// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

/// A number's place is moved: from a row to another one, or from a column.
using Source = std::function<std::int64_t(std::int64_t)>;

/// x or dy of a unit.
Numbers& matrix_of(ReplayedUnit& unit, const std::string& name) {
  return name == "dy" ? unit.from.dy : unit.from.x;
}

/// Reads x or dy anew, the element with this index in the claim as number(index).
void reread(Replay& replay, const std::string& name,
            const std::function<double(std::int64_t)>& number) {
  for (ReplayedUnit& unit : replay.units)
    for (std::size_t i = 0; i < unit.at.size(); ++i)
      matrix_of(unit, name)[i] = exact(number(unit.at[i]));
}

/// x or dy is read by another layout, from the same memory.
void add_layout(Hypotheses& all, const std::string& name, const std::string& text, Layout layout) {
  const Layout& own = get(all.replay.question->inputs, name).layout();
  if (layout.strides == own.strides || numel(own.shape) == 0) return;
  std::int64_t last = own.offset;
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis)
    last += (layout.shape[axis] - 1) * layout.strides[axis];
  if (last >= own.capacity || layout.is_sparse()) return;
  layout.offset = own.offset;
  layout.capacity = own.capacity;
  all.add(name + " is read " + text, [name, layout](Replay& replay) {
    const Tensor& tensor = get(replay.question->inputs, name);
    Tensor other(tensor.dtype(), layout);
    other.bytes() = tensor.bytes();
    reread(replay, name, [&](std::int64_t index) { return other.at(index); });
  });
}

/// Row r of x or dy is read from row source(r), or from r itself where the claim has no such row.
void add_row(Hypotheses& all, const std::string& name, const std::string& text, Source source) {
  all.add(name + text, [name, source = std::move(source)](Replay& replay) {
    const Claim& claim = replay.question->claim;
    const Tensor& tensor = get(replay.question->inputs, name);
    reread(replay, name, [&](std::int64_t index) {
      const std::int64_t from = source(index / claim.cols);
      const bool is_row = from >= 0 && from < claim.rows;
      return tensor.at(is_row ? from * claim.cols + index % claim.cols : index);
    });
  });
}

/// A parameter's number in column c is that of column source(c), or of c itself.
void add_column(Hypotheses& all, std::size_t slot, const std::string& text, Source source) {
  const std::string& name = all.pipeline.numbers[slot].name;
  all.add(name + text, [slot, name, source = std::move(source)](Replay& replay) {
    const Tensor& tensor = get(replay.question->inputs, name);
    for (ReplayedUnit& unit : replay.units) {
      Numbers& numbers = unit.from.numbers[slot];
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::int64_t from = source(replay.col_of(unit.at[i]));
        if (from >= 0 && from < tensor.numel()) numbers[i] = exact(tensor.at(from));
      }
    }
  });
}

void add_parameter(Hypotheses& all, std::size_t slot) {
  const ParameterSlot& parameter = all.pipeline.numbers[slot];
  const std::string& name = parameter.name;
  const bool factor = name == "weight" || name == "scale" || name == "multiply";
  for (const double number : {factor ? 1.0 : 0.0, factor ? 0.0 : 1.0})
    all.add(fmt::format("{} is taken as {}", name, number), [slot, number](Replay& replay) {
      for (ReplayedUnit& unit : replay.units)
        for (TrackedReal& v : unit.from.numbers[slot]) v = exact(number);
    });
  const std::int64_t last = all.claim.cols - 1;
  if (parameter.shared || last == 0) return;
  const auto add = [&](const char* text, Source source) {
    add_column(all, slot, text, std::move(source));
  };
  add(" of column 0 is taken for all columns", [](std::int64_t) { return 0; });
  add(" of the column before is taken", [](std::int64_t c) { return c - 1; });
  add(" of the column behind is taken", [](std::int64_t c) { return c + 1; });
  add(" is read from the last column backwards", [last](std::int64_t c) { return last - c; });
  if (all.claim.groups == 0) return;
  const std::int64_t width = all.claim.block_width();
  add(" is read by group, not by channel", [width](std::int64_t c) { return c / width; });
  add(" is read by the channel within its group", [width](std::int64_t c) { return c % width; });
  add(" of its group's first channel is taken",
      [width](std::int64_t c) { return c / width * width; });
}

}  // namespace

void add_changed_layouts(Hypotheses& all) {
  for (const auto& [name, other] : {std::pair{"dy", "x"}, {"x", "dy"}}) {
    const Layout& own = get(all.replay.question->inputs, name).layout();
    if (own.is_sparse()) continue;
    add_layout(all, name, "as if its rows lay behind one another", Layout::contiguous(own.shape));
    add_layout(all, name, fmt::format("with the strides of {}", other),
               all.claim.tensor(other).layout);
    if (own.shape.size() == 2)
      add_layout(all, name, "transposed", {own.shape, {1, own.shape[0]}, 0, 0});
  }
}

void add_changed_numbers(Hypotheses& all) {
  for (const std::string name : {"dy", "x"}) {
    add_row(all, name, " of row 0 is taken for all rows", [](std::int64_t) { return 0; });
    add_row(all, name, " of the row before is taken", [](std::int64_t row) { return row - 1; });
    add_row(all, name, " of the row behind is taken", [](std::int64_t row) { return row + 1; });
    if (name == "dy")
      all.add("dy is taken as 1",
              [](Replay& replay) { reread(replay, "dy", [](std::int64_t) { return 1; }); });
  }
  for (std::size_t slot = 0; slot < all.pipeline.numbers.size(); ++slot)
    if (all.pipeline.numbers[slot].gradient) add_parameter(all, slot);
}

}  // namespace gradproof::diagnosis
