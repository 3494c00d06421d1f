// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "oracles/graph/blocks.h"
#include "oracles/graph/graph_evaluator.h"
#include "oracles/graph/judge_graph.h"

namespace gradproof {

/// The outputs and gradients that are judged, each compared with its truths as blocks bring them.
/// Any thread may hand some over.
class JudgedTargets {
 public:
  /// Those of the claim that `got` has, which outlives it. Throws InstrumentError for another shape
  /// than the claim says.
  JudgedTargets(const GraphClaim& claim, const Tensors& got);

  /// A block's answers.
  void put(const BlockAnswer& a, const Block& block);
  /// One element of a target, row-major.
  void put_element(const std::string& target, std::int64_t at, const Truth& truth, bool escalated);

  bool wants(const std::string& name) { return target(name) != nullptr; }
  /// Whether anything of a target came.
  bool has_any(const std::string& name) { return wants(name) && target(name)->has_any; }
  std::map<std::string, Judged, std::less<>> judged(const std::string& why);

  /// For the truths themselves of the one target that there is.
  void keep_truths();
  GraphTruths truths() { return std::move(targets_.at(0).kept); }

 private:
  /// What one thread has compared.
  struct Part {
    Comparison comparison;
    std::int64_t escalated = 0;
    std::vector<double> got = {};  ///< of one run
  };
  struct Target {
    std::string name;
    Shape shape;
    std::vector<Part> parts = {};  ///< those that no thread uses now
    bool has_any = false;
    GraphTruths kept = {};  ///< where they are wanted
  };

  void add(const GraphClaim& claim, const std::string& name, const std::string& of);
  Part take_part(Target& of);
  /// Null where the tensor is not to be judged.
  Target* target(const std::string& name);

  const Tensors& got_;
  std::vector<Target> targets_;
  std::mutex mutex_;
};

}  // namespace gradproof
