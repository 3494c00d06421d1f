// SPDX-License-Identifier: Apache-2.0
#include "cli/worker/verbs.h"
#include "properties/laws/table.h"

namespace gradproof {

int answer_laws(const Systems& systems, const LawsRequest&, WorkerChannel& channel) {
  for (const std::string& line : law_table(systems.catalog)) channel.line(line);
  return 0;
}

}  // namespace gradproof
