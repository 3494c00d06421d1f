// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/worker/verbs.h"
#include "judge/check_case.h"

namespace gradproof {

int answer_check(const Systems& systems, const Request& request, WorkerChannel& channel) {
  const bool failures = std::find(request.arguments.begin(), request.arguments.end(),
                                  "largest=failures") != request.arguments.end();
  const Case c = parse_case(request.text, systems.schemas());
  for (const Record& record :
       check_case(systems, c, failures ? Detail::of_failures : Detail::of_all))
    channel.record(record);
  return 0;
}

}  // namespace gradproof
