// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/hypotheses.h"
#include "oracles/pipeline/gather.h"

namespace gradproof::diagnosis {
namespace {

using Index = std::int64_t;
using Real = LongDouble;

/// x, dy or a parameter is read otherwise: what the element with this index in the claim meets is
/// number(index).
template <class Number>
void add_read(Hypotheses& all, const std::string& name, const std::string& how,
              const Number& number) {
  const std::size_t slot = name == "x" || name == "dy" ? kNone : all.pipeline.number(name);
  all.add(name + how,
          Edit{.numbers = [name, slot, number](Unit<TrackedReal>& from, const ReplayedUnit& unit) {
            Numbers& numbers = name == "x" ? from.x : name == "dy" ? from.dy : from.numbers[slot];
            for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = exact(number(unit.at[i]));
          }});
}

/// x or dy is read by another layout, from the same memory.
void add_layout(Hypotheses& all, const std::string& name, const std::string& how, Layout layout) {
  const Tensor& tensor = get(all.gradient.inputs, name);
  const Layout& own = tensor.layout();
  if (layout.strides == own.strides || numel(own.shape) == 0) return;
  layout.offset = own.offset;
  layout.capacity = own.capacity;
  if (layout.position(numel(layout.shape) - 1) >= own.capacity || layout.is_sparse()) return;
  add_read(all, name, " is read " + how, [from = same_places(layout, own), &tensor](Index index) {
    const Index other = from[static_cast<std::size_t>(index)];
    return other == kNowhere ? std::nan("") : tensor.at(other);
  });
}

/// A number is read from another row of x or dy, or another column of a parameter; `last` is the
/// last one, a group has `width` columns.
struct MovedIndex {
  enum { row, column, column_of_groups } of;
  const char* text;
  Index (*source)(Index i, Index last, Index width);
};

const std::vector<MovedIndex> kMoved = {
    {MovedIndex::row, " of row 0 is taken for all rows",
     [](Index, Index, Index) { return Index(0); }},
    {MovedIndex::row, " of the row before is taken", [](Index i, Index, Index) { return i - 1; }},
    {MovedIndex::row, " of the row behind is taken", [](Index i, Index, Index) { return i + 1; }},
    {MovedIndex::column, " of column 0 is taken for all columns",
     [](Index, Index, Index) { return Index(0); }},
    {MovedIndex::column, " of the column before is taken",
     [](Index i, Index, Index) { return i - 1; }},
    {MovedIndex::column, " of the column behind is taken",
     [](Index i, Index, Index) { return i + 1; }},
    {MovedIndex::column, " is read from the last column backwards",
     [](Index i, Index last, Index) { return last - i; }},
    {MovedIndex::column_of_groups, " is read by group, not by channel",
     [](Index i, Index, Index width) { return i / width; }},
    {MovedIndex::column_of_groups, " is read by the channel within its group",
     [](Index i, Index, Index width) { return i % width; }},
    {MovedIndex::column_of_groups, " of its group's first channel is taken",
     [](Index i, Index, Index width) { return i / width * width; }},
};

/// Where the claim has no such row or column, the element's own is read.
void add_moved(Hypotheses& all, const std::string& name, bool by_row) {
  const Tensor& tensor = get(all.gradient.inputs, name);
  for (const MovedIndex& moved : kMoved) {
    if ((moved.of == MovedIndex::row) != by_row) continue;
    if (moved.of == MovedIndex::column_of_groups && all.claim.groups == 0) continue;
    add_read(all, name, moved.text, [&tensor, &claim = all.claim, by_row, moved](Index index) {
      const Index col = index % claim.cols;
      const Index own = by_row ? index / claim.cols : col;
      const Index last = (by_row ? claim.rows : claim.cols) - 1;
      Index from = moved.source(own, last, claim.block_width());
      if (from < 0 || from > last) from = own;
      return tensor.at(by_row ? from * claim.cols + col : from);
    });
  }
}

/// Each unit takes changed(unit) for its statistics.
template <class Changed>
void add_statistics(Hypotheses& all, const std::string& text, const Changed& changed) {
  all.add(text, Edit{.numbers = [changed](Unit<TrackedReal>& from, const ReplayedUnit& unit) {
            from.given = changed(unit);
          }});
}

/// rstd is another formula of the same variance v = 1/rstd^2 - eps: 1/root(v, eps, n).
struct OtherRoot {
  const char* text;
  Real (*root)(Real v, Real eps, Real n);
};

const std::vector<OtherRoot> kRoots = {
    {"eps stands outside the root", [](Real v, Real eps, Real) { return std::sqrt(v) + eps; }},
    {"eps is left out", [](Real v, Real, Real) { return std::sqrt(v); }},
    {"eps is taken as 1e-5", [](Real v, Real, Real) { return std::sqrt(v + Real(1e-5F)); }},
    {"the variance is divided by N-1 (N = {})",
     [](Real v, Real eps, Real n) { return std::sqrt(v * (n / (n - 1)) + eps); }},
};

void add_roots(Hypotheses& all) {
  const Index size = all.gradient.geometry.unit_size();
  for (const OtherRoot& other : kRoots) {
    if (size < 2 && &other == &kRoots.back()) continue;  // N-1 is 0
    add_statistics(all, fmt::format(fmt::runtime(other.text), size),
                   [other, size, eps = Real(all.gradient.eps())](const ReplayedUnit& unit) {
                     UnitStatistics statistics = *unit.statistics;
                     const Real rstd = statistics.rstd.value;
                     const Real variance = std::max(Real(0), 1 / (rstd * rstd) - eps);
                     const Real root = other.root(variance, eps, static_cast<Real>(size));
                     statistics.rstd = rounded(1 / root, 0);
                     return statistics;
                   });
  }
}

/// What the norm of this pipeline computes in a unit, although others may be given.
UnitStatistics own_statistics(const JudgedGradient& gradient, const CompiledPipeline& pipeline,
                              Index unit) {
  const Edit edit{.values = pipeline};
  ReplayPass pass(gradient, edit, kNone);
  pass.run({.number = unit, .from = gather<TrackedReal>(gradient.claim, gradient.inputs, unit)});
  return *pass.statistics();
}

void add_other_source(Hypotheses& all) {
  const bool batch = all.gradient.is_grouped() || all.pipeline.batch_statistics;
  const auto add = [&](const std::string& text, bool of_batch) {
    CompiledPipeline other = all.pipeline;
    other.batch_statistics = of_batch;
    const auto forget = [other, &gradient = all.gradient](Unit<TrackedReal>& from,
                                                          const ReplayedUnit& unit) {
      from.given.reset();
      if (std::ssize(unit.at) < gradient.geometry.unit_size())
        from.given = own_statistics(gradient, other, unit.number);
    };
    all.add(text, Edit{.values = other, .numbers = forget});
  };
  if (all.gradient.has_given()) add("the statistics are not those that forward saved", batch);
  if (all.gradient.is_grouped() || all.gradient.norm().numbers[2] == CompiledStep::kAbsent) return;
  add(batch ? "the running statistics stand for the batch's"
            : "the batch's statistics stand for the running ones",
      !batch);
}

/// The statistics of a row are those of the first of each `chunk` rows.
void add_other_rows(Hypotheses& all) {
  for (Index chunk = 2; chunk < 2 * all.claim.rows; chunk *= 2)
    add_statistics(all,
                   chunk >= all.claim.rows
                       ? "the statistics of row 0 are taken for all rows"
                       : fmt::format("the statistics of the first of each {} rows are taken for "
                                     "all of them",
                                     chunk),
                   [chunk, &gradient = all.gradient](const ReplayedUnit& unit) {
                     const Index groups = gradient.claim.groups;
                     const Index row = unit.number / groups / chunk * chunk;
                     const Index from = row * groups + unit.number % groups;
                     return gradient.has_given()
                                ? *given_for<TrackedReal>(gradient.given, from)
                                : own_statistics(gradient, gradient.pipeline, from);
                   });
}

/// 0 is taken for an xhat that is NaN: the norm's input is the mean there.
void add_nan_as_zero(Hypotheses& all) {
  const std::size_t node = all.pipeline.norm;
  const auto is_nan = [](const TrackedReal& x, const ReplayedUnit& unit) {
    return std::isnan((x.value - unit.statistics->mean.value) * unit.statistics->rstd.value);
  };
  const auto replace = [is_nan](Numbers& in, const ReplayedUnit& unit) {
    for (TrackedReal& x : in)
      if (is_nan(x, unit)) x = unit.statistics->mean;
  };
  const auto has_nan = [&](const ReplayedUnit& unit) {
    return std::any_of(unit.values[node].begin(), unit.values[node].end(),
                       [&](const TrackedReal& x) { return is_nan(x, unit); });
  };
  if (std::none_of(all.sample.units.begin(), all.sample.units.end(), has_nan)) return;
  const auto keep = [](Unit<TrackedReal>& from, const ReplayedUnit& unit) {
    from.given = unit.statistics;
  };
  all.add("0 is taken for an xhat that is NaN",
          Edit{.numbers = keep, .node = node, .value = replace});
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
    if (!parameter.shared && all.claim.cols > 1) add_moved(all, name, false);
  }
  if (!all.pipeline.has_norm() || all.sample.units.empty()) return;
  add_roots(all);
  add_other_source(all);
  add_statistics(all, "the mean is taken as 0", [](const ReplayedUnit& unit) {
    UnitStatistics statistics = *unit.statistics;
    statistics.mean = exact(0);
    return statistics;
  });
  if (all.gradient.is_grouped()) add_other_rows(all);
  add_nan_as_zero(all);
}

}  // namespace gradproof::diagnosis
