// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/protocol/channel.h"

namespace gradproof {

/// The worker's side of verbs whose text it writes itself (WorkerChannel::line); the result is the
/// exit code of docs/cli.md. Request::arguments holds KEY=VALUE words, one for each option that was
/// given. Throw as answer() does.

/// `text` is a Case. Arguments: element=d_x[3,7], json=yes.
int explain(const Request& request, WorkerChannel& channel);

/// `text` is a Case. Arguments as audit_plan() reads them (judge/audit_case.h). Sends rows, and as
/// lines what it is at (judge/audit_verdict.h); with column=... its own text.
int answer_audit(const Request& request, WorkerChannel& channel);

/// `text` is executor, kernels or oracle. A line for each row, as soon as it is measured.
int bench(const Request& request, WorkerChannel& channel);

/// `text` is fair, tight or power. Arguments: cases=N, seed=S, kernel=WORD (repeated), json=yes.
int trial(const Request& request, WorkerChannel& channel);

/// `text` is the systems' words, blank between; empty: all that are elementwise. Arguments:
/// dtype=WORD, part=K/N, json=yes.
int exhaustive(const Request& request, WorkerChannel& channel);

}  // namespace gradproof
