// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "cli/worker/verbs.h"

/// What gradproof-lab answers beside check, audit and explain: verbs for those who maintain
/// gradproof.
namespace gradproof {

/// A line for each row, as soon as it is measured.
int answer_bench(const Systems& systems, const BenchRequest& request, WorkerChannel& channel);

int answer_calibrate(const Systems& systems, const CalibrateRequest& request,
                     WorkerChannel& channel);

int answer_exhaustive(const Systems& systems, const ExhaustiveRequest& request,
                      WorkerChannel& channel);

int answer_search(const Systems& systems, const SearchRequest& request, WorkerChannel& channel);

/// What the last three can be cut into, some of it done, and their answers from all of it
/// (tools/cells/cells.h).
int answer_cells(const Systems& systems, const CellsRequest& request, WorkerChannel& channel);
int answer_run_cells(const Systems& systems, const RunCellsRequest& request,
                     WorkerChannel& channel);
int answer_sum_cells(const Systems& systems, const SumCellsRequest& request,
                     WorkerChannel& channel);

/// All verbs above.
std::vector<WorkerVerb> lab_verbs();

}  // namespace gradproof
