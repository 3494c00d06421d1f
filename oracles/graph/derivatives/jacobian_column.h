// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/verdict.h"
#include "oracles/graph/audit/audited_graph.h"

namespace gradproof {

/// The derivative of an element of an output by the column's number, computed in three ways.
struct JacobianEntry {
  std::string output;      ///< by its name in the graph
  std::int64_t index = 0;  ///< row-major in the output
  double difference = 0;   ///< central differences
  double dual = 0;         ///< dual numbers
  double adjoint = 0;      ///< for dy = 1 at index, 0 elsewhere; NaN where not computed
  double digits = 0;       ///< to which the ways agree, relative as in JacobianColumn
};

/// A column of the Jacobian of a graph's outputs, in 400 digits: the derivatives by one number of
/// one tensor of every element that depends on it. Digits are relative to the largest entry of the
/// column, or to max |y| / (N width), width that on which y changes, if that is larger: a column
/// may be 0.
struct JacobianColumn {
  std::string tensor;
  std::vector<std::int64_t> index;
  std::vector<JacobianEntry> entries;  ///< every element that depends on the number
  double digits = 0;                   ///< the fewest of all entries
  double estimate = 0;                 ///< the fewest digits to which D(h) and D(2h) agree
  int log2_step = 0;                   ///< log2 of the step h
  std::int64_t by_adjoint = 0;         ///< entries for which the adjoint was computed
  std::int64_t outside = 0;            ///< elements that do not depend on it and were evaluated
  std::int64_t outside_moved = 0;      ///< those of them that the number changes
  bool smooth = true;                  ///< no comparison changes within the step
  Verdict verdict;                     ///< certified, wrong or inconclusive
};

/// The column of an element of a tensor that has a gradient, by its place in the graph. Throws
/// UsageError for a graph that would take minutes.
JacobianColumn jacobian_column(const AuditedGraph& graph, std::size_t tensor,
                               const std::vector<std::int64_t>& index);

}  // namespace gradproof
