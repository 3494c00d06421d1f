// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/graph_parts.h"
#include "core/graph/name_rules.h"
#include "core/tensor/tensor.h"
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/plan/plan.h"

namespace gradproof {

/// A graph with the extents of its axes and the contract of its code.
struct GraphClaim {
  Graph graph;
  GraphExtents extents;
  GraphContract contract;
  std::int64_t whole_numbers = kWholeNumbers;  ///< most of a graph without an axis for blocks
  std::vector<NormStatistic> statistics = {};  ///< outputs beside those of the graph
  bool first_of_ties = false;                  ///< as GraphPlan has it

  Shape shape_of(std::string_view tensor_or_value) const;
  /// More than any number of the graph goes through operations, for the error of 50 digits.
  double longest_chain() const;
  /// The plan for blocks of `length` numbers or packs. Numbers of the text are rounded as the
  /// contract says.
  GraphPlan plan(std::int64_t length) const;

 private:
  bool has_closed_form(const PlanStep& scale) const;
};

/// The numbers that labels choose of the operand of each step that takes labels; none of others. A
/// put has the value's places for the operand's elements there, and a count the places of labels
/// that are not ignored. Throws UsageError for a label out of range.
std::vector<MovedNumbers> chosen_numbers(const GraphPlan& plan, const Tensors& inputs);

}  // namespace gradproof
