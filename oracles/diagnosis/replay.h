// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "oracles/diagnosis/replay_arithmetic.h"
#include "oracles/oracle.h"
#include "oracles/pipeline/compiled_pipeline.h"

namespace gradproof::diagnosis {

using Numbers = Values<TrackedReal>;

/// A gradient tensor that is to be explained, with its claim and inputs. All that refers to a
/// Question must end before it.
struct Question {
  const Claim& claim;
  const Tensors& inputs;
  const std::optional<GivenStatistics>& given;
  const std::string& gradient;
  const Tensor& got;
};

/// The gradient that is explained.
struct Target {
  bool matrix = false;   ///< the gradient of x, in its shape
  bool shared = false;   ///< the gradient of a parameter of one number
  std::size_t slot = 0;  ///< of the parameter, in CompiledPipeline::numbers
};
Target target_of(const Question& question);

/// The first step that uses the parameter, and the parameter's position in that step. No value for
/// the gradient of an input.
struct Use {
  std::size_t step = 0;
  std::size_t place = 0;
};
std::optional<Use> use_of(const CompiledPipeline& compiled, const Target& target);

/// Rows and columns of a claim that are replayed together, in rising order.
struct Part {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;
};

/// All rows of these blocks (core/claim/claim.h).
Part part_of(const Claim& claim, const std::vector<std::int64_t>& blocks);

/// What the stages compute in one unit.
struct UnitValues {
  std::vector<Numbers> values;      ///< by node
  std::vector<Numbers> cotangents;  ///< by node
};

/// A unit of a part: a column, or a row of a group, of which columns may be missing.
struct ReplayedUnit {
  ReplayedUnit(std::int64_t in_claim, std::size_t first) : number(in_claim), column(first) {}

  std::int64_t number;           ///< of the unit in the claim (oracles/pipeline/geometry.h)
  std::size_t column;            ///< position of its first column in Part::columns
  std::vector<std::int64_t> at;  ///< row-major indices of its elements in the claim
  Unit<TrackedReal> from;        ///< x, dy, parameters; given: the statistics that the norm takes
  std::optional<Statistics<TrackedReal>> statistics;  ///< those that the norm took; none: no norm
  std::shared_ptr<const UnitValues> right;            ///< of the unchanged passes

  /// Position in Part::columns of an element's column.
  std::size_t column_of(std::size_t i, bool grouped) const { return grouped ? column + i : column; }
};

/// A part of a claim with its numbers, and the pipeline that the oracle's stages do on them.
struct Replay {
  /// A part without units.
  Replay(const Question& the_question, Part rows_and_columns);

  const Question* question;
  Part part;
  CompiledPipeline pipeline;         ///< the backward pass uses this one
  CompiledPipeline value_pipeline;   ///< the forward pass uses this one
  std::vector<ReplayedUnit> units;   ///< by row, then by column
  bool given = false;                ///< mean and rstd are given, not computed from the values
  bool slice = false;                ///< columns of the units are missing
  std::size_t rounded_node = kNone;  ///< its value is rounded to the storage type
  Exp exp = Exp::as_long_double;
  bool nan_as_zero = false;  ///< an xhat that is NaN is taken as 0

  std::int64_t rows() const { return static_cast<std::int64_t>(part.rows.size()); }
  std::int64_t cols() const { return static_cast<std::int64_t>(part.columns.size()); }
  bool is_grouped() const { return pipeline.channels; }
  std::int64_t unit_size() const {
    return is_grouped() ? question->claim.block_width() : question->claim.rows;
  }
  std::int64_t row_of(std::int64_t index) const { return index / question->claim.cols; }
  std::int64_t col_of(std::int64_t index) const { return index % question->claim.cols; }
  double eps() const { return pipeline.lines[pipeline.norm].scalars[0]; }
  bool has_one_norm_at_most() const;
};

/// A part of the claim with its numbers, and the unchanged passes where it has one norm at most.
/// Throws InstrumentError for a missing tensor.
Replay replay_of(const Question& question, Part part);

/// Whether (x - mean) rstd is NaN.
inline bool is_nan_xhat(const TrackedReal& x, const Statistics<TrackedReal>& statistics) {
  return std::isnan((x.value - statistics.mean.value) * statistics.rstd.value);
}

/// Takes each unit's statistics from the formula of `pipeline`, although others are given.
void take_own_statistics(Replay& replay, const CompiledPipeline& pipeline);

/// A parameter's gradient is a sum with a term for each element. By entry: the sums of the terms of
/// the first 0, 1, ... rows (or columns), without changes.
using PrefixSums = std::vector<Numbers>;
PrefixSums prefix_sums_of(const Replay& replay, const Target& target, bool over_columns);

/// The gradient with an edit: the entries that the replayed part decides, a matrix's unit by unit.
Numbers predict(const Replay& replay, const Edit& edit, const Target& target);

}  // namespace gradproof::diagnosis
