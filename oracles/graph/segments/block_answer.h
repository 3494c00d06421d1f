// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/compare/comparison.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/graph/plan/plan.h"
#include "oracles/graph/segments/exact_segments.h"
#include "oracles/graph/segments/segments.h"
#include "oracles/graph/target_roundings.h"
#include "oracles/graph/tier.h"

namespace gradproof {

/// The answer of a block for one value: an output, a norm's statistic, or a gradient with a term
/// for each element.
struct BlockAnswer {
  std::string target;
  const PlanValue* value = nullptr;
  int output = -1;                   ///< place of an output; -1: it is none
  int statistic = -1;                ///< in GraphPlan::statistics; -1: it is none
  std::size_t tensor = 0;            ///< of a gradient
  Truths truths = {};                ///< in packs (PackedPlaces)
  BlockAnswers packed = {};          ///< what they were made of, where somebody asks
  bool are_known = false;            ///< as PackedAnswers has it; false where nobody looked
  bool are_decided = false;          ///< the same
  std::vector<char> escalated = {};  ///< 1: double-double did not decide it; empty: it did all
  bool is_kept = false;              ///< other segments take it
};

/// A segment and the settings of its evaluation. It refers to all its members.
struct SegmentSetting {
  const GraphSetting& graph;
  const TargetRoundings& roundings;
  const Segment& segment;
  std::size_t position = 0;  ///< of the segment
  ExactSegments& exact;
  const JudgedTensors& asked;    ///< nothing else is decided
  KnownBlocks* known = nullptr;  ///< of a whole graph; null: no truths are kept
};

inline void put(Truths& into, std::size_t i, const Truth& truth) {
  into.hi[i] = truth.hi;
  into.lo[i] = truth.lo;
  into.radius[i] = truth.radius;
  into.bound[i] = truth.bound;
  into.any_nonfinite[i] = truth.any_nonfinite ? 1 : 0;
}

/// The truth; one that any answer agrees with if its class is open, finite or not.
inline Truth with_open_class(const Truth& truth, const Permitted& allowed) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool open = allowed.vacuous && allowed.overflow && !std::isfinite(truth.hi);
  return open ? Truth{0, 0, 0, kInfinity, true} : truth;
}

}  // namespace gradproof
