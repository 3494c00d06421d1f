// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/compare/record.h"
#include "core/graph/contract/rung.h"
#include "judge/graph/graph_run.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/oracle.h"

namespace gradproof {

/// The judgement of a tensor, and the contract that it was judged under.
struct JudgedTensor {
  Judged judged;
  GraphContract contract;
  std::string doubt = {};       ///< what a Mistrusted pass under the wider bound says besides
  std::string improbable = {};  ///< why a tensor within its certain bound is not likely right
  ErrorBound bound = ErrorBound::certain;  ///< that it was judged by
  std::optional<Rung> rung = {};  ///< of code that declares nothing (judge/graph/ladder/ladder.h)
  /// The truths of the first comparison; null in runs of more than kMostKept elements.
  std::shared_ptr<const GraphTruths> truths = {};
};

using JudgedRun = std::map<std::string, JudgedTensor, std::less<>>;

/// Each tensor of a run of the Case. Code that declares nothing of its roundings climbs a ladder
/// (judge/graph/ladder/ladder.h); `why` of a pass on its first rung names the words under which it
/// would have failed, in runs of at most 65,536 elements that passed so. A conviction names a
/// declaration under which it would pass: a rung, and within two bounds another word
/// (docs/contracts.md). Unless the declaration asks for the certain bound, errors are first judged
/// by what roundings are likely to reach; a tensor that is beyond that, and within the certain
/// bound, is improbable (docs/likely.md). Detail::of_verdicts: a pass names no words.
JudgedRun judged_run(const Case& c, const GraphRun& run, Detail detail = Detail::of_failures);

Verdict verdict_of(const JudgedTensor& tensor);

/// Judges the tensors by one bound alone. Not `whole`: of tensors that are over it on each rung it
/// is known that they are, their figures may be of any rung, and no sentence says what they need.
JudgedRun judged_by(ErrorBound bound, const Case& c, const GraphRun& run, Detail detail,
                    bool whole = true);

}  // namespace gradproof
