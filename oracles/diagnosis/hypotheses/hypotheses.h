// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "oracles/diagnosis/observation.h"

namespace gradproof::diagnosis {

/// Hypotheses of one rank are about equally simple: those that fit equally well are named together.
enum class Rank { factor, change, round_sum, partial_sum, rounded_sum, misplaced, fitted };

/// A sentence about the kernel, and the entries that the kernel has if it is true.
struct Hypothesis {
  std::string text;
  std::function<Prediction(const Observation&)> predict;
  Rank rank = Rank::factor;
  int coefficients = 0;     ///< fitted ones: 1 one in all, 2 one for each unit, 3 two for each unit
  std::int64_t tested = 0;  ///< how many hypotheses: this one and the simpler ones
  Fit fit;

  /// Whether it predicts all entries together, never those of some blocks alone.
  bool is_of_whole() const { return rank == Rank::misplaced; }
};

/// All hypotheses about a gradient, the simplest first.
class Hypotheses {
 public:
  explicit Hypotheses(const Observation& sample);

  /// Adds all families. Those of misplaced entries need all entries, and are left out without.
  void add_all(bool has_all_entries);
  std::vector<Hypothesis> take() { return std::move(all_); }

  // What a family adds; `sample` is what the hypotheses are first tested on.
  const Observation& sample;
  const Replay& replay;
  const CompiledPipeline& pipeline;
  const Claim& claim;
  Rank rank = Rank::factor;

  void add(std::string text, std::function<Prediction(const Observation&)> predict,
           int coefficients = 0);
  void add(std::string text, Edit edit);
  void add(std::string text, const StepEdit& edit);
  /// The passes start from other numbers, or are those of another pipeline.
  void add(std::string text, std::function<void(Replay&)> prepare);
  /// A hypothesis before which its family tested `tries - 1` others, which are not added.
  void add_found(std::string text, Edit edit, std::int64_t tries);

  /// "Swish"; "the second Swish" where there are several.
  std::string step_text(std::size_t step) const;
  /// "x", "the value behind Bias"
  std::string value_text(std::size_t node) const;
  /// "dy", "the cotangent behind Bias", "d_x"
  std::string cotangent_text(std::size_t node) const;

 private:
  std::vector<Hypothesis> all_;
  std::int64_t tested_ = 0;
};

// One function for each family. Each adds its simplest hypothesis first.

/// got = c * truth, where c is a known number: 0, -1, 2, d, N, eps, rstd, a parameter.
void add_factors(Hypotheses& all);
/// The adjoint of a step lacks a term, takes its derivative at another value, or is applied twice.
void add_changed_adjoints(Hypotheses& all);
/// The gradient of a parameter sums other products than cotangent times input.
void add_changed_products(Hypotheses& all);
/// x or dy is read with the strides of another tensor.
void add_changed_layouts(Hypotheses& all);
/// The pass starts from other numbers: a parameter of another column, dy of another row.
void add_changed_numbers(Hypotheses& all);
/// Mean or rstd comes from another formula, or from another unit.
void add_changed_statistics(Hypotheses& all);
/// The pipeline is another one: two steps are swapped, a step is left out, d multiplies.
void add_changed_pipelines(Hypotheses& all);
/// The gradient of a parameter sums some rows or columns only: of those that fit the sample, the
/// sums that are cut at round numbers come first.
void add_partial_sums(Hypotheses& all);
/// The gradient sums chunks of rows, and each such sum is rounded to the storage type.
void add_rounded_sums(Hypotheses& all);
/// The entries are truths of other entries, or are rounded to a narrower type.
void add_misplaced(Hypotheses& all);
/// The error is a multiple of a known term, with a coefficient that is fitted in each unit.
void add_proportional(Hypotheses& all);

}  // namespace gradproof::diagnosis
