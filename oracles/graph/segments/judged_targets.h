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
/// Any thread may call put().
class JudgedTargets {
 public:
  /// Takes the targets of the claim that `got` has; `got` must outlive the object. Leading axes of
  /// length 1 do not count. Throws InstrumentError for another shape than the claim says.
  JudgedTargets(const GraphClaim& claim, const JudgedTensors& got);

  /// Compares a block's answers.
  void put(const BlockAnswer& a, const PackedBlock& block);
  /// Compares a whole target; no other thread may do so at the same time.
  void put(const std::string& target, const GraphTruths& whole);

  bool wants(const std::string& name) { return target(name) != nullptr; }
  /// True if any truths of a target came.
  bool has_any(const std::string& name) { return wants(name) && target(name)->has_any; }
  std::map<std::string, Judged, std::less<>> judged(const std::string& why);

  /// Keeps the truths of all targets, for truths().
  void keep_truths();
  std::map<std::string, GraphTruths, std::less<>> truths();

 private:
  /// The comparisons that one thread has made.
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
  /// Compares the elements of a run without the idle lanes.
  static void compare(Part& part, const Truths& truths, const PackedRun& of);
  static void note_escalated(Part& part, const Truth& truth);
  /// The count of columns that a norm groups, if the last axis has them; else 0.
  std::int64_t group_width_of(const Shape& shape) const;
  /// The target of that name; null if the tensor is not to be judged.
  Target* target(const std::string& name);

  const JudgedTensors& got_;
  std::vector<Target> targets_;
  std::int64_t channels_ = 0;     ///< of a group_norm over matrices; 0: there is none
  std::int64_t group_width_ = 0;  ///< of these channels in a group
  std::mutex mutex_;
};

}  // namespace gradproof
