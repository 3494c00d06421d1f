// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/protocol/channel.h"
#include "judge/systems.h"

namespace gradproof {

/// The worker's side of a verb. It answers one request; the result is the exit code of a verb that
/// prints its own text, else 0. Request::arguments holds KEY=VALUE words, one for each option that
/// was given. Throws UsageError, InstrumentError and simt::NoDevice; serve() turns them into the
/// protocol's failures.
struct WorkerVerb {
  std::string name;
  std::function<int(const Systems&, const Request&, WorkerChannel&)> answer;
};

/// `text` is a Case. Arguments: largest=failures where only failures need the largest part of their
/// bound, threads=K. Sends a Record for each judged tensor.
int answer_check(const Systems& systems, const Request& request, WorkerChannel& channel);

/// `text` is a Case. Arguments: element=d_x[3,7], json=yes.
int answer_explain(const Systems& systems, const Request& request, WorkerChannel& channel);

/// `text` is a Case. Arguments: entries=N, digits=D, direct=yes, kernel=no, threads=K. Sends its
/// phases, and a row for each gradient; with column=TENSOR[INDEX], and json=yes, its own text.
int answer_audit(const Systems& systems, const Request& request, WorkerChannel& channel);

}  // namespace gradproof
