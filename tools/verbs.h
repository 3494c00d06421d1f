// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/worker/verbs.h"

/// What gradproof-lab answers beside check, audit and explain: verbs for those who maintain
/// gradproof.
namespace gradproof {

/// `text` is executor, kernels or oracle. A line for each row, as soon as it is measured.
int answer_bench(const Systems& systems, const Request& request, WorkerChannel& channel);

/// `text` is fair, tight, power or audit. Arguments: cases=N, seed=S, kernel=WORD (repeated),
/// suite=FILE (of power), json=yes.
int answer_calibrate(const Systems& systems, const Request& request, WorkerChannel& channel);

/// `text` is the kernels' words, blank between; empty: all that are elementwise. Arguments:
/// dtype=WORD, part=K/N, json=yes.
int answer_exhaustive(const Systems& systems, const Request& request, WorkerChannel& channel);

}  // namespace gradproof
