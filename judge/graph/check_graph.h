// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"
#include "core/second_witness.h"
#include "judge/graph/graph_run.h"

namespace gradproof {

/// Judges what the accused (judge/graph/accused.h) computes for the graph of a Case
/// (core/graph/graph_case.h), each output and each gradient. LibTorch's float64 is judged likewise,
/// as the second witness: if it is out of its own bound, the oracle is in doubt and the tensor is
/// InstrumentBroken (`witness` says in which Cases it is asked). Returns one Record of the
/// execution if the run had findings. `blank` is a Record of the Case that says nothing yet.
std::vector<Record> graph_records(const Systems& systems, const Case& c, const Record& blank,
                                  Detail detail, SecondWitness witness);
/// Judges a run of the Case in the same way.
std::vector<Record> graph_records(const Case& c, const GraphRun& run, const Record& blank,
                                  Detail detail = Detail::of_failures,
                                  SecondWitness witness = SecondWitness::of_all);

}  // namespace gradproof
