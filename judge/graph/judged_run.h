// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "judge/graph/graph_run.h"
#include "oracles/oracle.h"

namespace gradproof {

/// What a tensor was judged to be, and under which contract.
struct JudgedTensor {
  Judged judged;
  GraphContract contract;
  std::string doubt = {};       ///< what a Mistrusted pass under the wider bound says besides
  std::string improbable = {};  ///< why a tensor within its certain bound is not likely right
};
using JudgedRun = std::map<std::string, JudgedTensor, std::less<>>;

/// Each tensor of a run of the Case. Code that declares nothing of its roundings is judged as fused
/// code with usual functions; what is over its bound there once more as an operator at a time with
/// the functions of any library. `why` of a pass there says so, and by how much the tensor is over
/// the narrower bound. Unless the declaration asks for the certain bound, errors are first judged
/// by what roundings are likely to reach; a tensor that is beyond that, and within the certain
/// bound, is improbable (docs/likely.md). `why` of a pass as fused code names the words under which
/// it would have failed, in runs of at most 65,536 elements that passed so. A conviction within two
/// bounds names a declaration under which it would pass (docs/contracts.md).
JudgedRun judged_run(const Case& c, const GraphRun& run);

/// The same by one bound alone.
JudgedRun judged_by(ErrorBound bound, const Case& c, const GraphRun& run);

}  // namespace gradproof
