// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "core/graph/samples/sample_plan.h"
#include "judge/graph/graph_run.h"

namespace gradproof {

/// The places of each axis that is cut, in rising order.
using CutPlaces = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

/// A run of the graph on a part of its tensors, of which some outputs and gradients are judged.
class RunPart {
 public:
  /// The axes that `places` has must be apart for each target (core/graph/samples/apart.h). Keeps
  /// the whole run by reference.
  RunPart(const GraphRun& whole, const std::vector<std::string>& targets, CutPlaces places);

  const GraphRun& run() const { return run_; }
  /// The index in the whole target of an element of the part.
  std::int64_t whole_index(const std::string& target, std::int64_t index) const;
  /// The index in the part of an element of the whole target, which the part must have.
  std::int64_t index_of(const std::string& target, std::int64_t whole_index) const;
  /// The part in words: "256 of 4096 along m, 16 of 64 along n".
  std::string text() const;
  /// Makes a Record of the part one of the target as it is.
  void place(Record& record) const;

 private:
  const GraphRun& whole_;
  CutPlaces places_;
  GraphRun run_;
};

/// The axes of an output, or of the tensor of which the target is the gradient.
const std::vector<std::string>& axes_of_target(const Graph& graph, const std::string& target);

/// The elements of these places of the tensor's axes.
Tensor part_of(const Tensor& whole, const std::vector<std::string>& axes, const CutPlaces& places);

}  // namespace gradproof
