// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oracles/diagnosis/hypotheses/rules.h"
#include "oracles/diagnosis/number.h"
#include "oracles/oracle.h"
#include "oracles/pipeline/compiled_pipeline.h"

namespace gradproof::diagnosis {

/// The whole that was asked about; it outlives everything made from it.
struct Question {
  const Claim& claim;
  const Tensors& inputs;
  const std::optional<GivenStatistics>& given;
  const std::string& gradient;
  const Tensor& got;
};

/// Logistics of a Swish's inputs.
using Logistics = std::shared_ptr<const std::vector<Logistic>>;

/// What the pipeline makes of a replayed's numbers. Scenes share what is the same in both.
struct ReplayedValues {
  std::vector<Shared> values;        ///< by node
  std::vector<Logistics> logistics;  ///< by step; of a Swish
  Shared centered;
  Shared xhat;
  /// By node, of the right rules; in a changed replayed none, and of the nodes in front of the
  /// asked ones none.
  std::vector<Shared> cotangents;
};

/// Rows and columns of a claim that are looked at together: of whole units, in rising order.
struct Part {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;

  std::int64_t size() const { return static_cast<std::int64_t>(rows.size() * columns.size()); }
};

/// The numbers of a part of a claim, as matrices.
struct ReplayedPipeline {
  /// No numbers yet.
  ReplayedPipeline(const Question& asked, Part rows_and_columns)
      : question(&asked),
        part(std::move(rows_and_columns)),
        compiled(asked.claim),
        value_pipeline(compiled) {}

  const Question* question;
  Part part;  ///< here its rows and columns are numbered from 0
  std::vector<std::int64_t>
      group_of;             ///< by column: which of the groups here; empty: there are none
  std::int64_t groups = 0;  ///< here
  bool slice = false;       ///< a unit has not all its columns here

  CompiledPipeline compiled;         ///< what the adjoint goes through
  CompiledPipeline value_pipeline;   ///< what the values go through
  bool given = false;                ///< mean and rstd are not the values' own
  std::size_t rounded_node = kNone;  ///< whose value goes through the storage type
  Exp exp = Exp::wide;
  bool nan_as_zero = false;  ///< an xhat that is NaN is taken as 0
  Shared x;
  Shared dy;
  std::vector<Matrix> numbers;  ///< by CompiledPipeline::numbers, one for each column
  Matrix mean;                  ///< by unit
  Matrix rstd;

  std::shared_ptr<const ReplayedValues> made;  ///< by fill_values; copies of the replayed share it

  std::int64_t rows() const { return static_cast<std::int64_t>(part.rows.size()); }
  std::int64_t cols() const { return static_cast<std::int64_t>(part.columns.size()); }
  std::int64_t size() const { return rows() * cols(); }
  bool is_grouped() const { return compiled.channels; }
  /// Units of groups are numbered by the rows of the whole.
  std::int64_t unit_of(std::int64_t row, std::int64_t col) const {
    if (!is_grouped()) return col;
    return part.rows[static_cast<std::size_t>(row)] * groups +
           group_of[static_cast<std::size_t>(col)];
  }
  std::int64_t units() const { return is_grouped() ? question->claim.rows * groups : cols(); }
  std::int64_t unit_size() const {
    return is_grouped() ? question->claim.block_width() : question->claim.rows;
  }
  double eps() const { return compiled.lines[compiled.norm].scalars[0]; }
};

/// Calls work(i, row, col) for each element, i = row cols + col.
template <class Work>
void for_each_element(const ReplayedPipeline& replayed, const Work& work) {
  std::size_t i = 0;
  for (std::int64_t row = 0; row < replayed.rows(); ++row)
    for (std::int64_t col = 0; col < replayed.cols(); ++col) work(i++, row, col);
}

/// All rows of these blocks (core/claim/claim.h).
Part part_of(const Claim& claim, const std::vector<std::int64_t>& blocks);

/// Throws InstrumentError where a tensor is missing.
ReplayedPipeline scene_of(const Question& question, Part part);

/// Some columns of a replayed, with all that was made of them: from then on nothing is to be
/// computed that a unit needs all its columns for.
ReplayedPipeline sliced(const ReplayedPipeline& replayed, const std::vector<std::int64_t>& columns);

/// The values and what the adjoint needs of them, after the replayed's numbers have changed; what
/// is as it was `before` is not computed again.
void fill_values(ReplayedPipeline& replayed, const ReplayedPipeline* before = nullptr);

/// Whether the diagnosis has formulas of its own for the kind. A pipeline with another one is
/// compared with the truth, and not diagnosed.
bool is_replayable(StageKind kind);

/// Whether a step is the same in both, and has the same numbers.
bool same_step(const ReplayedPipeline& a, const CompiledStep& in_a, const ReplayedPipeline& b,
               const CompiledStep& in_b);

/// x or dy anew, as if the tensor lay in memory by another layout of as many elements.
Shared reread(const ReplayedPipeline& replayed, const Tensor& tensor, const Layout& layout);

/// x or dy anew, each row from the one that `source` says; where there is none, from its own.
Shared from_rows(const ReplayedPipeline& replayed, const Tensor& tensor,
                 const std::function<std::int64_t(std::int64_t)>& source);

/// Mean and 1/sqrt(variance + eps) of the units' own numbers `in`, the norm's input; in evaluation
/// the running ones.
void take_own_statistics(ReplayedPipeline& replayed, const Matrix& in);

}  // namespace gradproof::diagnosis
