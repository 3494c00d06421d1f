// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oracles/graph/diagnosis/wrong_tensor.h"

namespace gradproof::diagnosis {

/// The tensor that code with a fault computes in place of the wrong one: the tensor `name` of
/// another claim, with other numbers.
struct Changed {
  GraphClaim claim;
  Tensors inputs;
  std::string name;
};

/// Hypotheses of one rank are about equally simple: those that fit equally well are named together.
/// Hypotheses about the backward pass (way_back) leave every output as it is, and come before
/// changes of the claim.
enum class GraphRank { factor, way_back, change };

/// A sentence about the code, and the entries that the code has if the sentence is true. predict()
/// of a sample of a tensor gives the sample's entries; nullopt if the change makes no sense there.
struct GraphHypothesis {
  std::string text;
  GraphRank rank = GraphRank::change;
  bool of_whole = false;  ///< a sample along the axis of blocks says nothing of it
  std::function<std::optional<Prediction>(const WrongTensor&)> predict;
};
using GraphHypotheses = std::vector<GraphHypothesis>;
using Change = std::function<std::optional<Changed>(const WrongTensor&)>;

/// The hypothesis that the code computes the changed claim.
GraphHypothesis changed_to(std::string text, Change change, GraphRank rank = GraphRank::change);
/// The hypothesis that the code computes another graph.
GraphHypothesis changed_graph(std::string text, Graph graph, GraphRank rank = GraphRank::change);

/// All hypotheses, the simplest first.
GraphHypotheses hypotheses_about(const WrongTensor& whole);

// Each function adds one family of hypotheses.
void add_factors(const WrongTensor& whole, GraphHypotheses& all);  ///< got = c truth
void add_counts(const WrongTensor& whole,
                GraphHypotheses& all);  ///< a sum for a mean, a mean for a sum
void add_cotangents(const WrongTensor& whole, GraphHypotheses& all);  ///< ones for dy, dy twice
void add_tensors(const WrongTensor& whole, GraphHypotheses& all);  ///< left out, exchanged, misread
void add_numbers(const WrongTensor& whole, GraphHypotheses& all);  ///< of the line: eps, a factor
void add_stages(const WrongTensor& whole, GraphHypotheses& all);   ///< another one, another order
void add_formulas(const WrongTensor& whole, GraphHypotheses& all);  ///< of a norm
void add_adjoints(const WrongTensor& whole, GraphHypotheses& all);  ///< of a stage: a term, a slope
void add_sums(const WrongTensor& whole, GraphHypotheses& all);      ///< over some numbers alone

}  // namespace gradproof::diagnosis
