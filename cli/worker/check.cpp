// SPDX-License-Identifier: Apache-2.0
#include "cli/worker/verbs.h"
#include "core/parallel.h"
#include "judge/check_case.h"

namespace gradproof {

int answer_check(const Systems& systems, const CheckRequest& request, WorkerChannel& channel) {
  const ThreadLimit limit(request.threads > 0 ? request.threads : thread_limit());
  const Case c = parse_case(request.case_text, systems.schemas());
  for (const Record& record : check_case(systems, c, request.detail, request.witness))
    channel.record(record);
  return 0;
}

}  // namespace gradproof
