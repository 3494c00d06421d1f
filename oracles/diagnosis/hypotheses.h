// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oracles/diagnosis/wrong_tensor.h"

namespace gradproof::diagnosis {

/// The tensor that code with a fault computes in place of the wrong one: the tensor `name` of
/// another claim, with other numbers.
struct Changed {
  GraphClaim claim;
  Tensors inputs;
  std::string name;
  Tensors statistics = {};
};

/// Hypotheses of one rank are about equally simple: those that fit equally well are named together.
///   factor       the truth times a number of the Case
///   way_back     another backward pass, which leaves every output as it is
///   change       another claim
///   round_sum    a gradient that sums a power of two of numbers, or all but the last of these
///   some_sum     a gradient that sums other numbers than all
///   rounded_sum  a gradient whose partial sums are rounded
///   misplaced    numbers that stand in another place, or are rounded
///   fit, fits, pairs   numbers that are fitted: one, one for each line, two for each line
enum class Rank {
  factor,
  way_back,
  change,
  round_sum,
  some_sum,
  rounded_sum,
  misplaced,
  fit,
  fits,
  pairs
};

/// A sentence about the code, and the entries that the code has if the sentence is true. predict()
/// of a sample of a tensor gives the sample's entries; nullopt if the change makes no sense there.
struct Hypothesis {
  std::string text;
  Rank rank = Rank::change;
  bool of_whole = false;   ///< a sample along the axis of blocks says nothing of it
  bool evaluates = true;   ///< the oracle evaluates a claim for it
  std::int64_t tried = 0;  ///< so many others of its kind were refuted without being listed
  std::function<std::optional<Prediction>(const WrongTensor&)> predict;
};
using Hypotheses = std::vector<Hypothesis>;
using Change = std::function<std::optional<Changed>(const WrongTensor&)>;

/// The tensor that is asked for, as the right code computes it.
Changed unchanged(const WrongTensor& asked);

/// The hypothesis that the code computes the changed claim.
Hypothesis changed_to(std::string text, Change change, Rank rank = Rank::change);
/// The hypothesis that the code computes another graph.
Hypothesis changed_graph(std::string text, Graph graph, Rank rank = Rank::change);
/// The hypothesis that the code takes function(tensor) for the input or cotangent of that name.
Hypothesis changed_tensor(std::string text, std::string name,
                          std::function<Tensor(const Tensor&)> function, Rank rank = Rank::change);
/// The hypothesis that the code takes function(tensor), of numbers from other places, for it.
Hypothesis changed_places(std::string text, std::string name,
                          std::function<Tensor(const Tensor&)> function);
/// A hypothesis that needs no evaluation.
Hypothesis predicted(std::string text, Rank rank,
                     std::function<std::optional<Prediction>(const WrongTensor&)> predict);
/// The hypothesis that each entry is a function of its own number, its truth and its bound.
Hypothesis predicted_each(std::string text, Rank rank,
                          std::function<PredictedEntry(const ComparedEntry&)> predict);

/// All hypotheses, the simplest first.
Hypotheses hypotheses_about(const WrongTensor& whole);

// Each function adds one family of hypotheses.
void add_factors(const WrongTensor& whole, Hypotheses& all);      ///< got = c truth
void add_counts(const WrongTensor& whole, Hypotheses& all);       ///< a sum for a mean, N - 1 for N
void add_cotangents(const WrongTensor& whole, Hypotheses& all);   ///< ones for dy, dy twice
void add_tensors(const WrongTensor& whole, Hypotheses& all);      ///< left out, exchanged, misread
void add_layouts(const WrongTensor& whole, Hypotheses& all);      ///< of a tensor: other strides
void add_places(const WrongTensor& whole, Hypotheses& all);       ///< a neighbour's number is taken
void add_statistics(const WrongTensor& whole, Hypotheses& all);   ///< given to a norm's adjoint
void add_numbers(const WrongTensor& whole, Hypotheses& all);      ///< of the line: eps, a factor
void add_stages(const WrongTensor& whole, Hypotheses& all);       ///< another one, another order
void add_formulas(const WrongTensor& whole, Hypotheses& all);     ///< of a norm
void add_adjoints(const WrongTensor& whole, Hypotheses& all);     ///< of a stage: a term, a slope
void add_precisions(const WrongTensor& whole, Hypotheses& all);   ///< of a value or of exp
void add_products(const WrongTensor& whole, Hypotheses& all);     ///< that a gradient sums
void add_sums(const WrongTensor& whole, Hypotheses& all);         ///< over some numbers alone
void add_masked_sums(const WrongTensor& whole, Hypotheses& all);  ///< the same, without its terms
void add_rounded_sums(const WrongTensor& whole, Hypotheses& all);  ///< of some numbers each
void add_misplaced(const WrongTensor& whole, Hypotheses& all);     ///< written elsewhere, rounded
void add_fitted(const WrongTensor& whole, Hypotheses& all);        ///< coefficients

}  // namespace gradproof::diagnosis
