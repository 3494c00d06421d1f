// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "cli/worker/verbs.h"

/// The verbs that gradproof-lab answers in addition to check, audit and explain: verbs for those
/// who maintain gradproof.
namespace gradproof {

/// Sends a line for each row, as soon as the row is measured.
int answer_bench(const Systems& systems, const BenchRequest& request, WorkerChannel& channel);

int answer_calibrate(const Systems& systems, const CalibrateRequest& request,
                     WorkerChannel& channel);

int answer_exhaustive(const Systems& systems, const ExhaustiveRequest& request,
                      WorkerChannel& channel);

int answer_search(const Systems& systems, const SearchRequest& request, WorkerChannel& channel);

/// Answer with the cells that calibrate, exhaustive and search can be cut into, with findings of
/// some cells, and with the verb's answer from all of them (tools/cells/cells.h).
int answer_cells(const Systems& systems, const CellsRequest& request, WorkerChannel& channel);
int answer_run_cells(const Systems& systems, const RunCellsRequest& request,
                     WorkerChannel& channel);
int answer_sum_cells(const Systems& systems, const SumCellsRequest& request,
                     WorkerChannel& channel);

/// All verbs above.
std::vector<WorkerVerb> lab_verbs();

}  // namespace gradproof
