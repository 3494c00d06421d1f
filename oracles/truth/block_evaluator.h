// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/plain.h"
#include "oracles/bounds/error_sum.h"
#include "oracles/pipeline/evaluate_unit.h"
#include "oracles/truth/fast_tier.h"
#include "oracles/truth/judging.h"
#include "oracles/truth/truth_sum.h"

namespace gradproof {

/// Of each question that is summed (empty for the others), all columns: the truths; the bounds are
/// the claim's own kind of ErrorSum.
template <class F>
struct ColumnSum {
  ErrorSum<F> bound;
  TruthSum truth;
};
template <class F>
using ColumnSums = std::vector<std::vector<ColumnSum<F>>>;

/// What every unit of a claim is judged by.
struct Plan {
  const Claim& claim;
  const Tensors& inputs;
  const std::optional<GivenStatistics>& given;
  const InexactInputs& inexact;
  Geometry geometry;
  CompiledPipeline compiled;
  std::vector<Output> asked;
  std::vector<std::size_t> tensors;  ///< by question: position in the claim's tensors
  std::vector<StoredRounding> roundings;
};

/// What the arguments ask for; they must outlive it. Throws InstrumentError where inexact inputs do
/// not fit the claim.
Plan plan_of(const Claim& claim, const Tensors& inputs, const std::optional<GivenStatistics>& given,
             const InexactInputs& inexact);

/// A matrix's numbers in one batch, and how inexact they are.
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

/// Judges units one after the other: bound and truth by the fast tier, then at 50 digits where an
/// element of the unit is not decided.
class UnitTruth {
 public:
  explicit UnitTruth(const Plan& plan);

  /// Parameters of the block that the unit lies in.
  void take_block(std::int64_t unit);
  /// Whether 50 digits were needed.
  bool judge(const UnitNumbers& unit);

  /// Of the last unit, by question.
  const Truths& truths(std::size_t question) const {
    return escalated_ ? exact_truths_[question] : fast_->truths(question);
  }

  FastTier& fast() { return *fast_; }
  /// Adds a summed question's numbers of the last unit, which was escalated.
  void add_exact(std::size_t question, std::vector<TruthSum*>& into);

 private:
  void escalate(const UnitNumbers& unit);
  void rule(std::size_t question);
  const Values<Real>& exact_terms(std::size_t question) const;
  Values<Real> exact_numbers(std::size_t question) const;

  const Plan& plan_;
  Unit<double> numbers_;
  std::unique_ptr<FastTier> fast_;
  std::unique_ptr<UnitEvaluator<Plain<Real>>> exact_;  ///< once it is needed
  Evaluation<Real> found_;
  std::vector<Truths> exact_truths_;
  std::vector<Ball> balls_;
  std::vector<Permitted> permitted_;
  bool escalated_ = false;
  bool exact_inputs_ = true;
};

/// What a thread judges with, portion after portion.
struct WorkerState {
  WorkerState(const Plan& plan, TruthSink& ledger)
      : court(plan), x(plan.claim), dy(plan.claim), page(ledger.page()) {}

  UnitTruth court;
  MatrixBatch x;
  MatrixBatch dy;
  std::unique_ptr<TruthSink::SinkWriter> page;
};

/// Judges the units of some batches of one block after the other and enters them.
template <class F>
class BlockEvaluator {
 public:
  BlockEvaluator(const Plan& plan, ColumnSums<F>& sums, WorkerState& bench)
      : plan_(plan),
        sums_(sums),
        page_(*bench.page),
        court_(bench.court),
        x_(bench.x),
        dy_(bench.dy) {}
  BlockEvaluator(const BlockEvaluator&) = delete;
  BlockEvaluator& operator=(const BlockEvaluator&) = delete;

  void judge(const Batch& batch) {
    page_.open(batch);
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
      enter(unit, k, court_.judge(numbers));
    }
  }

  /// No more units come.
  void close() { enter_sums(); }

 private:
  void take_block(std::int64_t unit) {
    const std::int64_t block = plan_.geometry.block_of(unit);
    if (block == block_) return;
    enter_sums();
    block_ = block;
    first_column_ = plan_.geometry.first_column(unit);
    court_.take_block(unit);
  }

  /// Puts what was ruled on, adds what is summed.
  void enter(std::int64_t unit, std::int64_t k, bool escalated) {
    const Geometry& geometry = plan_.geometry;
    for (std::size_t s = 0; s < plan_.asked.size(); ++s) {
      const Output& asked = plan_.asked[s];
      if (asked.summed) {
        if (escalated) add_exact(s);
        continue;
      }
      Place place{plan_.tensors[s], unit, 1, -1, escalated};
      if (asked.part == Output::Part::y || asked.part == Output::Part::input_gradient)
        place = {plan_.tensors[s], geometry.first(unit), geometry.stride(), k, escalated};
      page_.put(place, court_.truths(s));
    }
    court_.fast().add(!escalated);
  }

  void add_exact(std::size_t question) {
    std::vector<TruthSum*> into;
    for (std::size_t i = 0; i < court_.fast().count(question); ++i)
      into.push_back(&sums_[question][static_cast<std::size_t>(first_column_) + i].truth);
    court_.add_exact(question, into);
  }

  /// What the fast tier has added up in the block.
  void enter_sums() {
    for (std::size_t s = 0; s < plan_.asked.size(); ++s) {
      if (!plan_.asked[s].summed) continue;
      taken_.resize(court_.fast().count(s));
      if (!court_.fast().take_sums(s, taken_.data())) continue;
      for (std::size_t i = 0; i < taken_.size(); ++i) {
        ColumnSum<F>& sum = sums_[s][static_cast<std::size_t>(first_column_) + i];
        sum.bound.add(ErrorSum<F>::read(taken_[i]));
        if (taken_[i].has_truth) sum.truth.add(taken_[i].truth);
      }
    }
  }

  const Plan& plan_;
  ColumnSums<F>& sums_;
  TruthSink::SinkWriter& page_;
  UnitTruth& court_;
  MatrixBatch& x_;
  MatrixBatch& dy_;
  std::int64_t block_ = -1;
  std::int64_t first_column_ = 0;
  std::vector<UnitSum> taken_;
};

}  // namespace gradproof
