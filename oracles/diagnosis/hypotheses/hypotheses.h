// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "oracles/diagnosis/replay.h"

namespace gradproof::diagnosis {

using Predict = std::function<Prediction(const Replay&)>;

/// The entries that a changed formula computes. The tolerance is the bound, times the quotient
/// of the errors of the changed and of the right formula where that is above 1, plus a rounding to
/// the stored type.
Prediction changed_entries(const Replay& replay, const Numbers& changed);

/// Hypotheses of one rank are about equally simple: those that fit equally well are named together.
/// Fitted are one coefficient in all (fit), one for each unit (fits), two for each unit (pairs).
enum class Rank { factor, change, round_sum, some_sum, rounded_sum, misplaced, fit, fits, pairs };

/// A sentence about the kernel, and the entries that the kernel has if it is true.
struct Hypothesis {
  std::string text;
  Predict predict;
  Rank rank = Rank::factor;
  std::int64_t tested = 0;  ///< how many hypotheses: this one and the simpler ones
  Fit fit = {};
};

/// All hypotheses about a gradient, the simplest first.
struct Hypotheses {
  const Replay& sample;  ///< what they are first tested on
  const JudgedGradient& gradient = sample.gradient;
  const CompiledPipeline& pipeline = gradient.pipeline;
  const Claim& claim = gradient.claim;
  std::vector<Hypothesis> list = {};
  Rank rank = Rank::factor;  ///< of what is added next
  std::int64_t counted = 0;  ///< those without `tries`

  /// Adds all families.
  void add_all();
  /// Adds a hypothesis; with `tries`, its family tested `tries - 1` others, which are not added.
  void add(std::string text, Predict predict, std::int64_t tries = 0);
  void add(std::string text, Edit edit);

  /// The text of a step: "Swish"; "the second Swish" if there are several.
  std::string step_text(std::size_t step) const;
  /// The text of a node's value: "x", "the value behind Bias".
  std::string value_text(std::size_t node) const;
  /// The text of a node's cotangent: "dy", "the cotangent behind Bias", "d_x".
  std::string cotangent_text(std::size_t node) const;
};

// Each function adds one family, its simplest hypothesis first.
void add_factors(Hypotheses& all);             ///< got = c truth, c a number: 0, -1, 2, d, N, rstd
void add_changed_adjoints(Hypotheses& all);    ///< a step's lacks a term, or is applied twice
void add_changed_products(Hypotheses& all);    ///< whose sum is the gradient of a parameter
void add_changed_layouts(Hypotheses& all);     ///< x or dy is read with other strides
void add_changed_numbers(Hypotheses& all);     ///< read from another row or column
void add_changed_statistics(Hypotheses& all);  ///< of another formula, or of another unit
void add_changed_pipelines(Hypotheses& all);   ///< two steps are swapped, a step is left out
void add_changed_sums(Hypotheses& all);        ///< over some rows, or of rounded sums of chunks
void add_misplaced(Hypotheses& all);           ///< truths of other entries, or rounded ones
void add_fitted(Hypotheses& all);              ///< a known term of the error has a fitted factor

}  // namespace gradproof::diagnosis
