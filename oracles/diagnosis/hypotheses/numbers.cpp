// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

/// A number is read from another row, or another column. `last` is the last one; a group has
/// `width` columns.
struct MovedIndex {
  const char* text;
  std::int64_t (*source)(std::int64_t i, std::int64_t last, std::int64_t width);
};
using Index = std::int64_t;

const std::vector<MovedIndex> kRows = {
    {" of row 0 is taken for all rows", [](Index, Index, Index) -> Index { return 0; }},
    {" of the row before is taken", [](Index row, Index, Index) { return row - 1; }},
    {" of the row behind is taken", [](Index row, Index, Index) { return row + 1; }},
};
const std::vector<MovedIndex> kColumns = {
    {" of column 0 is taken for all columns", [](Index, Index, Index) -> Index { return 0; }},
    {" of the column before is taken", [](Index col, Index, Index) { return col - 1; }},
    {" of the column behind is taken", [](Index col, Index, Index) { return col + 1; }},
    {" is read from the last column backwards",
     [](Index col, Index last, Index) { return last - col; }},
};
const std::vector<MovedIndex> kColumnsOfGroups = {
    {" is read by group, not by channel",
     [](Index col, Index, Index width) { return col / width; }},
    {" is read by the channel within its group",
     [](Index col, Index, Index width) { return col % width; }},
    {" of its group's first channel is taken",
     [](Index col, Index, Index width) { return col / width * width; }},
};

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

/// Row r of x or dy is read from another row, or from r itself where the claim has no such row.
void add_row(Hypotheses& all, const std::string& name, const MovedIndex& moved) {
  all.add(name + moved.text, [name, moved](Replay& replay) {
    const Claim& claim = replay.question->claim;
    const Tensor& tensor = get(replay.question->inputs, name);
    reread(replay, name, [&](std::int64_t index) {
      const std::int64_t from = moved.source(index / claim.cols, claim.rows - 1, 0);
      const bool is_row = from >= 0 && from < claim.rows;
      return tensor.at(is_row ? from * claim.cols + index % claim.cols : index);
    });
  });
}

/// A parameter's number in column c is that of another column, or of c itself.
void add_column(Hypotheses& all, std::size_t slot, const MovedIndex& moved) {
  const std::string& name = all.pipeline.numbers[slot].name;
  all.add(name + moved.text, [slot, name, moved](Replay& replay) {
    const Tensor& tensor = get(replay.question->inputs, name);
    const std::int64_t width = replay.question->claim.block_width();
    for (ReplayedUnit& unit : replay.units) {
      Numbers& numbers = unit.from.numbers[slot];
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::int64_t col = replay.col_of(unit.at[i]);
        const std::int64_t from = moved.source(col, replay.question->claim.cols - 1, width);
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
  if (parameter.shared || all.claim.cols == 1) return;
  for (const MovedIndex& moved : kColumns) add_column(all, slot, moved);
  if (all.claim.groups == 0) return;
  for (const MovedIndex& moved : kColumnsOfGroups) add_column(all, slot, moved);
}

using UnitStatistics = Statistics<TrackedReal>;

/// Each unit's statistics are changed(unit, those that it has).
template <class Changed>
void add_statistics(Hypotheses& all, const std::string& text, const Changed& changed) {
  all.add(text, [changed](Replay& replay) {
    for (ReplayedUnit& unit : replay.units) unit.from.given = changed(replay, *unit.statistics);
  });
}

/// rstd is another formula of the same variance v = 1/rstd^2 - eps: 1/formula(v, eps).
void add_rstd(Hypotheses& all, const std::string& text,
              LongDouble (*formula)(LongDouble v, LongDouble eps, LongDouble n)) {
  add_statistics(all, text, [formula](const Replay& replay, UnitStatistics statistics) {
    const LongDouble rstd = statistics.rstd.value;
    const LongDouble variance = 1 / (rstd * rstd) - LongDouble(replay.eps());
    const LongDouble root = formula(variance > 0 ? variance : 0, replay.eps(),
                                    static_cast<LongDouble>(replay.unit_size()));
    statistics.rstd = rounded(1 / root, 0);
    return statistics;
  });
}

void add_formulas(Hypotheses& all) {
  using Real = LongDouble;
  add_rstd(all, "eps stands outside the root",
           [](Real v, Real eps, Real) { return std::sqrt(v) + eps; });
  add_rstd(all, "eps is left out", [](Real v, Real, Real) { return std::sqrt(v); });
  add_rstd(all, "eps is taken as 1e-5",
           [](Real v, Real, Real) { return std::sqrt(v + Real(1e-5F)); });
  if (all.replay.unit_size() < 2) return;
  add_rstd(all, fmt::format("the variance is divided by N-1 (N = {})", all.replay.unit_size()),
           [](Real v, Real eps, Real n) { return std::sqrt(v * (n / (n - 1)) + eps); });
}

void add_other_source(Hypotheses& all) {
  const bool batch = all.replay.is_grouped() || all.pipeline.batch_statistics;
  const CompiledStep& norm = all.pipeline.lines[all.pipeline.norm];
  const auto add = [&](const std::string& text, bool of_batch) {
    all.add(text, [of_batch](Replay& replay) {
      CompiledPipeline other = replay.pipeline;
      other.batch_statistics = of_batch;
      take_own_statistics(replay, other);
    });
  };
  if (all.replay.given) add("the statistics are not those that forward saved", batch);
  if (all.replay.is_grouped() || norm.numbers[2] == CompiledStep::kAbsent) return;
  add(batch ? "the running statistics stand for the batch's"
            : "the batch's statistics stand for the running ones",
      !batch);
}

/// The statistics of a row are those of the first of each `chunk` rows.
void take_first_rows(Replay& replay, std::int64_t chunk) {
  const Question& q = *replay.question;
  const std::int64_t groups = q.claim.groups;
  const auto groups_here = static_cast<std::int64_t>(replay.units.size()) / replay.rows();
  const auto first = [chunk](std::int64_t unit, std::int64_t in_row) {
    return static_cast<std::size_t>(unit / in_row / chunk * chunk * in_row + unit % in_row);
  };
  for (std::size_t k = 0; k < replay.units.size(); ++k) {
    ReplayedUnit& unit = replay.units[k];
    if (!replay.given) {  // all rows are in the part
      unit.from.given = replay.units[first(static_cast<std::int64_t>(k), groups_here)].statistics;
      continue;
    }
    const auto from = static_cast<std::int64_t>(first(unit.number, groups));
    unit.from.given = {exact(q.given->mean.at(from)), {}, exact(q.given->rstd.at(from))};
  }
}

void add_other_rows(Hypotheses& all) {
  for (std::int64_t chunk = 2; chunk < 2 * all.claim.rows; chunk *= 2)
    all.add(chunk >= all.claim.rows ? "the statistics of row 0 are taken for all rows"
                                    : fmt::format("the statistics of the first of each {} rows are "
                                                  "taken for all of them",
                                                  chunk),
            [chunk](Replay& replay) { take_first_rows(replay, chunk); });
}

/// Whether the unchanged passes have an xhat that is NaN.
bool has_nan(const Replay& replay) {
  return std::any_of(replay.units.begin(), replay.units.end(), [&](const ReplayedUnit& unit) {
    const Numbers& in = unit.right->values[replay.pipeline.lines[replay.pipeline.norm].input];
    return std::any_of(in.begin(), in.end(),
                       [&](const TrackedReal& x) { return is_nan_xhat(x, *unit.statistics); });
  });
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
    for (const MovedIndex& moved : kRows) add_row(all, name, moved);
    if (name == "dy")
      all.add("dy is taken as 1",
              [](Replay& replay) { reread(replay, "dy", [](std::int64_t) { return 1; }); });
  }
  for (std::size_t slot = 0; slot < all.pipeline.numbers.size(); ++slot)
    if (all.pipeline.numbers[slot].gradient) add_parameter(all, slot);
}

void add_changed_statistics(Hypotheses& all) {
  if (!all.pipeline.has_norm() || all.replay.units.empty()) return;
  add_formulas(all);
  add_other_source(all);
  add_statistics(all, "the mean is taken as 0", [](const Replay&, UnitStatistics statistics) {
    statistics.mean = exact(0);
    return statistics;
  });
  if (all.replay.is_grouped()) add_other_rows(all);
  if (has_nan(all.replay))
    all.add("0 is taken for an xhat that is NaN",
            [](Replay& replay) { replay.nan_as_zero = true; });
}

}  // namespace gradproof::diagnosis
