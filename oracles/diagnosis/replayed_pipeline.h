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

/// A gradient tensor that is to be explained, with its claim and inputs. All that refers to a
/// Question must end before it.
struct Question {
  const Claim& claim;
  const Tensors& inputs;
  const std::optional<GivenStatistics>& given;
  const std::string& gradient;
  const Tensor& got;
};

/// sigmoid(z) and sigmoid(-z) of every input z of a Swish.
using Logistics = std::shared_ptr<const std::vector<Logistic>>;

/// All values that the pipeline computes from its numbers. Replayed pipelines share equal matrices.
struct ReplayedValues {
  std::vector<Shared> values;        ///< by node
  std::vector<Logistics> logistics;  ///< by step; nullptr where the step is no Swish
  Shared centered;
  Shared xhat;
  /// By node, with unchanged rules. Empty in a changed pipeline; nullptr for nodes in front of
  /// those that the gradient needs.
  std::vector<Shared> cotangents;
};

/// Rows and columns of a claim that are replayed together: whole units, in rising order.
struct Part {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;

  std::int64_t size() const { return static_cast<std::int64_t>(rows.size() * columns.size()); }
};

/// A part of a claim with its numbers as matrices, and the pipeline that is replayed on them.
struct ReplayedPipeline {
  /// A part without numbers.
  ReplayedPipeline(const Question& the_question, Part rows_and_columns)
      : question(&the_question),
        part(std::move(rows_and_columns)),
        compiled(the_question.claim),
        value_pipeline(compiled) {}

  const Question* question;
  Part part;  ///< its rows and columns are numbered from 0 in all members below
  /// By column: which of the part's groups; empty where the claim has no groups.
  std::vector<std::int64_t> group_of;
  std::int64_t groups = 0;  ///< in this part
  bool slice = false;       ///< the part lacks some columns of its units

  CompiledPipeline compiled;         ///< the backward pass uses this one
  CompiledPipeline value_pipeline;   ///< the forward pass uses this one
  bool given = false;                ///< mean and rstd are given, not computed from the values
  std::size_t rounded_node = kNone;  ///< its value is rounded to the storage type
  Exp exp = Exp::as_long_double;
  bool nan_as_zero = false;  ///< an xhat that is NaN is taken as 0
  Shared x;
  Shared dy;
  std::vector<Matrix> numbers;  ///< by CompiledPipeline::numbers, one for each column
  Matrix mean;                  ///< by unit
  Matrix rstd;

  std::shared_ptr<const ReplayedValues> computed;  ///< set by fill_values(); copies share it

  std::int64_t rows() const { return static_cast<std::int64_t>(part.rows.size()); }
  std::int64_t cols() const { return static_cast<std::int64_t>(part.columns.size()); }
  std::int64_t size() const { return rows() * cols(); }
  bool is_grouped() const { return compiled.channels; }
  /// With groups: row groups + group, the row being that of the whole claim.
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

/// A part of the claim with its numbers and values. Throws InstrumentError for a missing tensor.
ReplayedPipeline replayed_pipeline_of(const Question& question, Part part);

/// Some columns of a replayed pipeline, with all values that were computed. Statistics and sums
/// over a unit cannot be computed from the result, as columns of the unit are missing.
ReplayedPipeline sliced(const ReplayedPipeline& replayed, const std::vector<std::int64_t>& columns);

/// Computes all values that the backward pass needs from the pipeline's numbers. Values that are
/// the same in `before` are taken from there.
void fill_values(ReplayedPipeline& replayed, const ReplayedPipeline* before = nullptr);

/// Whether the diagnosis has replay formulas for the kind. A pipeline with a step of another kind
/// is compared with the truth, but its errors are not explained.
bool is_replayable(StageKind kind);

/// Whether a step of `a` and a step of `b` compute the same and have the same parameters.
bool same_step(const ReplayedPipeline& a, const CompiledStep& in_a, const ReplayedPipeline& b,
               const CompiledStep& in_b);

/// x or dy read from the same memory by another layout with as many elements.
Shared reread(const ReplayedPipeline& replayed, const Tensor& tensor, const Layout& layout);

/// x or dy with row r read from row source(r), or from row r where source(r) is no row.
Shared from_rows(const ReplayedPipeline& replayed, const Tensor& tensor,
                 const std::function<std::int64_t(std::int64_t)>& source);

/// Sets mean and rstd = 1/sqrt(variance + eps) of each unit of `in`, the norm's input; in
/// evaluation, those of the running statistics.
void take_own_statistics(ReplayedPipeline& replayed, const Matrix& in);

}  // namespace gradproof::diagnosis
