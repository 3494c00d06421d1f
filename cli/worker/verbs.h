// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "cli/protocol/channel.h"
#include "judge/systems.h"

namespace gradproof {

/// The worker's side of a verb. It answers one request; the result is the exit code of a verb that
/// prints its own text, else 0. Throws UsageError, InstrumentError and simt::NoDevice; serve()
/// turns them into the protocol's failures.
struct WorkerVerb {
  std::string name;
  std::function<int(const Systems&, const Request&, WorkerChannel&)> answer;
};

/// The verb of the requests that the function takes.
template <class R>
WorkerVerb worker_verb(int (*answer)(const Systems&, const R&, WorkerChannel&)) {
  return {R::kVerb, [answer](const Systems& systems, const Request& request, WorkerChannel& c) {
            return answer(systems, std::get<R>(request), c);
          }};
}

/// Sends a Record for each judged tensor.
int answer_check(const Systems& systems, const CheckRequest& request, WorkerChannel& channel);

/// Sends its phases, and a Record for each gradient.
int answer_audit(const Systems& systems, const AuditRequest& request, WorkerChannel& channel);

int answer_column(const Systems& systems, const ColumnRequest& request, WorkerChannel& channel);

int answer_explain(const Systems& systems, const ExplainRequest& request, WorkerChannel& channel);

int answer_laws(const Systems& systems, const LawsRequest& request, WorkerChannel& channel);

int answer_chains(const Systems& systems, const ChainsRequest& request, WorkerChannel& channel);

int answer_coverage(const Systems& systems, const CoverageRequest& request, WorkerChannel& channel);

}  // namespace gradproof
