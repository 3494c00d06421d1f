// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"
#include "core/second_witness.h"
#include "judge/graph/graph_run.h"

namespace gradproof {

/// Judges what the accused (judge/graph/accused.h) computes for the graph of a Case
/// (core/graph/graph_case.h), each output and each gradient; and LibTorch's float64 in the same
/// way, as the second witness: where it is out of its own bound the oracle is in doubt, and the
/// tensor InstrumentBroken (`witness`: of which Cases it is asked). One Record of the execution
/// where something was wrong with the run. `blank` is a Record of the Case that says nothing yet.
std::vector<Record> graph_records(const Systems& systems, const Case& c, const Record& blank,
                                  Detail detail, SecondWitness witness);
/// The same of a run of the Case.
std::vector<Record> graph_records(const Case& c, const GraphRun& run, const Record& blank,
                                  Detail detail = Detail::of_failures,
                                  SecondWitness witness = SecondWitness::of_all);

}  // namespace gradproof
