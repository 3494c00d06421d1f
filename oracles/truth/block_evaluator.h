// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/plain.h"
#include "oracles/bounds/error_sum.h"
#include "oracles/pipeline/evaluate_unit.h"
#include "oracles/truth/fast_tier.h"
#include "oracles/truth/judging.h"
#include "oracles/truth/truth_sum.h"

namespace gradproof {

/// The running sum of one column: the exact sum, and the permitted error as the ErrorSum of the
/// claim's number type F.
template <class F>
struct ColumnSum {
  ErrorSum<F> bound;
  TruthSum truth;
};
/// By output, then by column. An output that is not summed has no columns here.
template <class F>
using ColumnSums = std::vector<std::vector<ColumnSum<F>>>;

/// The inputs of an evaluation and what follows from the claim alone: the same for all units.
struct Plan {
  const Claim& claim;
  const Tensors& inputs;
  const std::optional<GivenStatistics>& given;
  const InexactInputs& inexact;
  Geometry geometry;
  CompiledPipeline compiled;
  std::vector<Output> outputs;
  std::vector<std::size_t> tensors;  ///< by output: position in the claim's tensors
  std::vector<StoredRounding> roundings;
};

/// The plan of an evaluation. It refers to its arguments, which must outlive it. Throws
/// InstrumentError where inexact inputs do not fit the claim.
Plan plan_of(const Claim& claim, const Tensors& inputs, const std::optional<GivenStatistics>& given,
             const InexactInputs& inexact);

/// The elements of a matrix in one batch of units, and how inexact they are.
struct MatrixBatch {
  explicit MatrixBatch(const Claim& claim) : numbers(claim), radius(claim), error(claim) {}

  void read(const Plan& plan, const TensorSpec& spec, const Batch& batch);
  UnitNumbers::Matrix of(std::int64_t k) const;

  BatchNumbers numbers;
  BatchNumbers radius;
  BatchNumbers error;
  bool has_radius = false;
  bool has_error = false;
};

/// Truth and bound of one unit after the other. The fast tier computes both; where it leaves an
/// element undecided, the unit's truth is computed again with 50 digits.
class UnitTruth {
 public:
  explicit UnitTruth(const Plan& plan);

  /// Reads the parameters of the block that the unit lies in.
  void take_block(std::int64_t unit);
  /// Evaluates a unit. Returns whether its truth needed 50 digits.
  bool judge(const UnitNumbers& unit);

  /// Truths and bounds of one output in the last unit.
  const Truths& truths(std::size_t output_index) const {
    return escalated_ ? exact_truths_[output_index] : fast_->truths(output_index);
  }

  FastTier& fast() { return *fast_; }
  /// Adds the last unit's part of a summed output, as found with 50 digits.
  void add_exact(std::size_t output_index, std::vector<TruthSum*>& into);

 private:
  void escalate(const UnitNumbers& unit);
  void round_output(std::size_t output_index);
  const Values<Real>& exact_terms(std::size_t output_index) const;
  Values<Real> exact_numbers(std::size_t output_index) const;

  const Plan& plan_;
  Unit<double> numbers_;
  std::unique_ptr<FastTier> fast_;
  std::unique_ptr<UnitEvaluator<Plain<Real>>> exact_;  ///< made for the first unit that needs it
  Evaluation<Real> found_;
  std::vector<Truths> exact_truths_;
  std::vector<Ball> balls_;
  std::vector<Permitted> permitted_;
  bool escalated_ = false;
  bool exact_inputs_ = true;
};

/// What one thread keeps from one WorkItem to the next.
struct WorkerState {
  WorkerState(const Plan& plan, TruthSink& sink)
      : unit_truth(plan), x(plan.claim), dy(plan.claim), writer(sink.writer()) {}

  UnitTruth unit_truth;
  MatrixBatch x;
  MatrixBatch dy;
  std::unique_ptr<TruthSink::SinkWriter> writer;
};

/// Evaluates the units of some batches of one block after the other; writes what is final to the
/// sink and adds what is summed over units to the sums.
template <class F>
class BlockEvaluator {
 public:
  BlockEvaluator(const Plan& plan, ColumnSums<F>& sums, WorkerState& worker)
      : plan_(plan),
        sums_(sums),
        writer_(*worker.writer),
        unit_truth_(worker.unit_truth),
        x_(worker.x),
        dy_(worker.dy) {}
  BlockEvaluator(const BlockEvaluator&) = delete;
  BlockEvaluator& operator=(const BlockEvaluator&) = delete;

  void judge(const Batch& batch) {
    writer_.open(batch);
    for (const TensorSpec& spec : plan_.claim.tensors) {
      if (spec.role == Role::input) x_.read(plan_, spec, batch);
      if (spec.role == Role::cotangent) dy_.read(plan_, spec, batch);
    }
    for (std::int64_t k = 0; k < batch.units; ++k) {
      const bool channels = plan_.geometry.is_grouped();
      const std::int64_t unit =
          channels ? plan_.geometry.unit(batch.block, batch.row + k) : batch.block + k;
      take_block(unit);
      UnitNumbers numbers{plan_.geometry.unit_size(), x_.of(k), {}, {}};
      if (plan_.claim.backward) numbers.dy = dy_.of(k);
      numbers.given = given_for<double>(plan_.given, unit);
      put_unit(unit, k, unit_truth_.judge(numbers));
    }
  }

  /// Adds the sums of the last block. No unit follows.
  void close() { add_block_sums(); }

 private:
  void take_block(std::int64_t unit) {
    const std::int64_t block = plan_.geometry.block_of(unit);
    if (block == block_) return;
    add_block_sums();
    block_ = block;
    first_column_ = plan_.geometry.first_column(unit);
    unit_truth_.take_block(unit);
  }

  /// Writes the outputs of one unit that are final, adds those that are summed over units.
  void put_unit(std::int64_t unit, std::int64_t k, bool escalated) {
    const Geometry& geometry = plan_.geometry;
    for (std::size_t s = 0; s < plan_.outputs.size(); ++s) {
      const Output& output = plan_.outputs[s];
      if (output.summed) {
        if (escalated) add_exact(s);
        continue;
      }
      ElementRange range{plan_.tensors[s], unit, 1, -1, escalated};
      if (output.part == Output::Part::y || output.part == Output::Part::input_gradient)
        range = {plan_.tensors[s], geometry.first(unit), geometry.stride(), k, escalated};
      writer_.put(range, unit_truth_.truths(s));
    }
    unit_truth_.fast().add(!escalated);
  }

  void add_exact(std::size_t output_index) {
    std::vector<TruthSum*> into;
    for (std::size_t i = 0; i < unit_truth_.fast().count(output_index); ++i)
      into.push_back(&sums_[output_index][static_cast<std::size_t>(first_column_) + i].truth);
    unit_truth_.add_exact(output_index, into);
  }

  /// Moves the sums over the units of a block from the fast tier to the sums over all units.
  void add_block_sums() {
    for (std::size_t s = 0; s < plan_.outputs.size(); ++s) {
      if (!plan_.outputs[s].summed) continue;
      taken_.resize(unit_truth_.fast().count(s));
      if (!unit_truth_.fast().take_sums(s, taken_.data())) continue;
      for (std::size_t i = 0; i < taken_.size(); ++i) {
        ColumnSum<F>& sum = sums_[s][static_cast<std::size_t>(first_column_) + i];
        sum.bound.add(ErrorSum<F>::read(taken_[i]));
        if (taken_[i].has_truth) sum.truth.add(taken_[i].truth);
      }
    }
  }

  const Plan& plan_;
  ColumnSums<F>& sums_;
  TruthSink::SinkWriter& writer_;
  UnitTruth& unit_truth_;
  MatrixBatch& x_;
  MatrixBatch& dy_;
  std::int64_t block_ = -1;
  std::int64_t first_column_ = 0;
  std::vector<UnitSum> taken_;
};

}  // namespace gradproof
