// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "judge/graph/judged_run.h"
#include "judge/graph/ladder/run_under.h"

namespace gradproof {

/// Code that declares nothing of its roundings: `found` is what its tensors were judged to be on
/// the first rung. Those that are over their bound are judged on the next one (RungRow), and so on;
/// each gets the first rung that it passes on, the contract of that and a sentence which says what
/// it rounds and how far off it is on the rung before. On a rung that is not right it stays Failed,
/// as on the last right one, and the sentence says what would permit it. No rung: it passes on
/// none. Not `whole`: of such a tensor no more is judged than that takes, and its figures are those
/// of some rung that it does not pass on.
void climb(const RunUnder& under, JudgedRun& found, bool whole);

}  // namespace gradproof
