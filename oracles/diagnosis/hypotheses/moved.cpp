// SPDX-License-Identifier: Apache-2.0
// This file tests for numbers read from or written to the place of others, and for rounded ones.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/tensor/dtype.h"
#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

using Index = std::int64_t;
constexpr Index kNowhere = -1;

/// The element of `other` that lies in the same place as each element of `one`; kNowhere if none
/// does. Both start at the same place of one allocation.
std::shared_ptr<const Indices> same_places(const Layout& one, Layout other) {
  other.offset = one.offset;
  Indices at_position(at(one.capacity), kNowhere);
  for (Index i = 0; i < numel(other.shape); ++i)
    if (const Index position = other.position(i); position < one.capacity)
      at_position[at(position)] = i;
  const auto same = std::make_shared<Indices>();
  for (Index i = 0; i < numel(one.shape); ++i) same->push_back(at_position[at(one.position(i))]);
  return same;
}

/// Adds the hypothesis that x, dy or a parameter is read otherwise: the element with this index in
/// the claim is computed from number(index).
template <class Number>
void add_read(Hypotheses& all, const std::string& name, const std::string& how,
              const Number& number) {
  const std::size_t slot = name == "x" || name == "dy" ? kNone : all.pipeline.number(name);
  const auto read = [name, slot, number](UnitNumbers& from, const ReplayedUnit& unit) {
    Numbers& numbers = name == "x" ? from.x : name == "dy" ? from.dy : from.numbers[slot];
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = exact(number(unit.at[i]));
  };
  all.add(name + how, Edit{.numbers = read});
}

/// Adds the hypothesis that x or dy is read by another layout from the same memory.
void add_layout(Hypotheses& all, const std::string& name, const std::string& how, Layout layout) {
  const Tensor& tensor = get(all.gradient.inputs, name);
  const Layout& own = tensor.layout();
  if (layout.strides == own.strides || numel(own.shape) == 0) return;
  layout.offset = own.offset;
  layout.capacity = own.capacity;
  if (layout.position(tensor.numel() - 1) >= own.capacity || layout.is_sparse()) return;
  add_read(all, name, " is read " + how, [from = same_places(layout, own), &tensor](Index index) {
    const Index other = (*from)[at(index)];
    return other == kNowhere ? std::nan("") : tensor.at(other);
  });
}

/// The index of a row or column, the index of the last one, and the width of a group.
struct Place {
  Index i;
  Index last;
  Index width;
};

/// A number is read from another row of x or dy, or another column of a parameter: {} is the word.
struct MovedNumber {
  enum { any, column, column_of_groups } axis;
  const char* text;
  Index (*source)(Place);
};
using M = MovedNumber;

const std::vector<MovedNumber> kMoved = {
    {M::any, " of {0} 0 is taken for all {0}s", [](Place) { return Index(0); }},
    {M::any, " of the {} before is taken", [](Place p) { return p.i - 1; }},
    {M::any, " of the {} behind is taken", [](Place p) { return p.i + 1; }},
    {M::column, " is read from the last {} backwards", [](Place p) { return p.last - p.i; }},
    {M::column_of_groups, " is read by group, not by channel",
     [](Place p) { return p.i / p.width; }},
    {M::column_of_groups, " is read by the channel within its group",
     [](Place p) { return p.i % p.width; }},
    {M::column_of_groups, " of its group's first channel is taken",
     [](Place p) { return p.i / p.width * p.width; }},
};

/// If the claim has no such row or column, the element's own is read.
void add_moved(Hypotheses& all, const std::string& name, bool by_row) {
  const Tensor& tensor = get(all.gradient.inputs, name);
  const auto last_axis = by_row ? M::any : all.claim.groups() > 0 ? M::column_of_groups : M::column;
  for (const MovedNumber& moved : kMoved)
    if (moved.axis <= last_axis)
      add_read(all, name, fmt::format(fmt::runtime(moved.text), by_row ? "row" : "column"),
               [&tensor, &claim = all.claim, by_row, moved](Index index) {
                 const Index col = index % claim.cols();
                 const Index own = by_row ? index / claim.cols() : col;
                 const Index last = (by_row ? claim.rows() : claim.cols()) - 1;
                 Index from = moved.source({own, last, claim.block_width()});
                 if (from < 0 || from > last) from = own;
                 return tensor.at(by_row ? from * claim.cols() + col : from);
               });
}

/// Predicts each entry from its number and its truth.
template <class Predicted>
void add_each(Hypotheses& all, const std::string& text, const Predicted& predicted) {
  all.add(text, [predicted](const Replay& replay) {
    Prediction p;
    for (const ComparedEntry& entry : replay.entries) p.push_back(predicted(entry));
    return p;
  });
}

/// Predicts that each entry holds the truth of entry source(index), or a NaN for kNowhere.
template <class Source>
void add_misplaced_as(Hypotheses& all, const std::string& text, const Source& source) {
  add_each(all, text, [source, &gradient = all.gradient](const ComparedEntry& entry) {
    const Index from = source(entry.index);
    if (from == kNowhere) return PredictedEntry{std::numeric_limits<LongDouble>::quiet_NaN(), 0};
    const ComparedEntry other = gradient.entry(from);
    return PredictedEntry{other.truth, other.bound};
  });
}

/// The prediction that the entry was rounded to a narrower type.
PredictedEntry through(DType narrow, const ComparedEntry& entry) {
  const double rounded = round_to(narrow, entry.got);
  const double truth = static_cast<double>(entry.truth);
  const double half =
      std::fabs(truth) * unit_roundoff(narrow) * 2 + underflow_unit(narrow) + entry.bound;
  return {std::fabs(rounded - truth) <= half ? rounded : truth,
          rounded == entry.got ? entry.bound : 0};
}

/// The value rounded towards 0.
double cut_off(DType dtype, double value) {
  const double rounded = round_to(dtype, value);
  if (std::fabs(rounded) <= std::fabs(value)) return rounded;
  if (dtype == DType::f32) return std::nextafter(static_cast<float>(rounded), 0.0F);
  const int before = to_bits16(dtype, rounded) - 1;  // sign and magnitude
  return from_bits16(dtype, static_cast<std::uint16_t>(before));
}

}  // namespace

void add_changed_layouts(Hypotheses& all) {
  for (const auto& [name, other] : {std::pair{"dy", "x"}, {"x", "dy"}}) {
    const Layout& own = get(all.gradient.inputs, name).layout();
    if (own.is_sparse()) continue;
    add_layout(all, name, "as if its rows lay behind one another", Layout::contiguous(own.shape));
    add_layout(all, name, fmt::format("with the strides of {}", other),
               all.claim.tensor(other).layout);
    if (own.shape.size() == 2)
      add_layout(all, name, "transposed", {own.shape, {1, own.shape[0]}, 0, 0});
  }
}

void add_changed_numbers(Hypotheses& all) {
  add_moved(all, "dy", true);
  add_read(all, "dy", " is taken as 1", [](Index) { return 1; });
  add_moved(all, "x", true);
  for (const ParameterSlot& parameter : all.pipeline.numbers) {
    if (!parameter.gradient) continue;
    const std::string& name = parameter.name;
    const bool factor = name == "weight" || name == "scale" || name == "multiply";
    for (const double number : {factor ? 1.0 : 0.0, factor ? 0.0 : 1.0})
      add_read(all, name, fmt::format(" is taken as {}", number), [=](Index) { return number; });
    if (!parameter.shared && all.claim.cols() > 1) add_moved(all, name, false);
  }
}

void add_misplaced(Hypotheses& all) {
  const bool matrix = all.gradient.matrix;
  const Layout& own = all.gradient.got.layout();
  for (const char* name : {"x", "dy"}) {
    const Layout& written = all.claim.tensor(name).layout;
    if (!matrix || written.strides == own.strides || own.is_sparse() || written.is_sparse())
      continue;
    add_misplaced_as(
        all, fmt::format("written with the strides of {}", name),
        [from = same_places(own, written)](Index index) { return (*from)[at(index)]; });
  }
  const Index cols = all.gradient.shared ? 1 : all.claim.cols();
  for (const auto& [down, right, text] : {std::tuple{0, 1, "the next column"},
                                          {0, -1, "the column before"},
                                          {1, 0, "the next row"},
                                          {-1, 0, "the row before"}})
    if (matrix || down == 0)
      add_misplaced_as(
          all, fmt::format("every wrong entry holds the right number of {}", text),
          [cols, down = down, right = right, size = all.gradient.got.numel()](Index index) {
            const Index row = index / cols + down;
            const Index col = index % cols + right;
            const bool inside = row >= 0 && col >= 0 && col < cols;
            return inside && row * cols < size ? row * cols + col : kNowhere;
          });
  const DType dtype = all.gradient.got.dtype();
  for (const DType narrow : {DType::f32, DType::f16, DType::bf16})
    if (precision_of(narrow) < precision_of(dtype))
      add_each(all, fmt::format("rounded to {} on the way", name_of(narrow)),
               [narrow](const ComparedEntry& entry) { return through(narrow, entry); });
  // The tolerance is half the bound, so that the neighbour, which rounding to nearest would give,
  // is not within it.
  if (dtype != DType::f64)
    add_each(
        all, fmt::format("cut off to {}, not rounded", name_of(dtype)),
        [dtype](const ComparedEntry& entry) {
          return PredictedEntry{cut_off(dtype, static_cast<double>(entry.truth)), entry.bound / 2};
        });
}

}  // namespace gradproof::diagnosis
