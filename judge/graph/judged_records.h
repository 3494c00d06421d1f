// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"
#include "core/second_witness.h"
#include "judge/graph/graph_run.h"

namespace gradproof {

/// The Records of the tensors that the run has, in the order of the Case's schema, with what
/// LibTorch and the diagnosis say of them.
std::vector<Record> judged_records(const Case& c, const GraphRun& run, const Record& blank,
                                   Detail detail, SecondWitness witness);

}  // namespace gradproof
