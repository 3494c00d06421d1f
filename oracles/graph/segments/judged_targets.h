// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "oracles/graph/blocks/packed_places.h"
#include "oracles/graph/graph_evaluator.h"
#include "oracles/graph/judge_graph.h"

namespace gradproof {

/// The outputs and gradients that are judged, each compared with its truths as blocks bring them.
/// Any thread may hand some over.
class JudgedTargets {
 public:
  /// Those of the claim that `got` has, which outlives it. Axes of length 1 in front do not count.
  /// Throws InstrumentError for another shape than the claim says.
  JudgedTargets(const GraphClaim& claim, const JudgedTensors& got);

  /// A block's answers.
  void put(const BlockAnswer& a, const PackedBlock& block);
  /// All of a target, by no other thread at the same time.
  void put(const std::string& target, const GraphTruths& whole);

  bool wants(const std::string& name) { return target(name) != nullptr; }
  /// Whether anything of a target came.
  bool has_any(const std::string& name) { return wants(name) && target(name)->has_any; }
  std::map<std::string, Judged, std::less<>> judged(const std::string& why);

  /// For the truths themselves, of all targets.
  void keep_truths();
  std::map<std::string, GraphTruths, std::less<>> truths();

 private:
  /// What one thread has compared.
  struct Part {
    Comparison comparison;
    std::int64_t escalated = 0;
    std::int64_t too_coarse = 0;   ///< of those: still not decided
    std::vector<double> got = {};  ///< of one block, in packs
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
  /// Without the idle lanes.
  static void compare(Part& part, const Truths& truths, const PackedRun& of);
  static void note_escalated(Part& part, const Truth& truth);
  /// Columns that a norm takes together, where the last axis has them.
  std::int64_t group_width_of(const Shape& shape) const;
  /// Null where the tensor is not to be judged.
  Target* target(const std::string& name);

  const JudgedTensors& got_;
  std::vector<Target> targets_;
  std::int64_t channels_ = 0;     ///< of a group_norm over matrices; 0: there is none
  std::int64_t group_width_ = 0;  ///< of these channels in a group
  std::mutex mutex_;
};

}  // namespace gradproof
