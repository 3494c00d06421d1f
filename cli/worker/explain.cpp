// SPDX-License-Identifier: Apache-2.0
#include "cli/worker/explain_text.h"
#include "cli/worker/verbs.h"

namespace gradproof {

int answer_explain(const Systems& systems, const ExplainRequest& request, WorkerChannel& channel) {
  const Case c = parse_case(request.case_text, systems.schemas());
  const ElementFacts facts = element_facts(systems, c, request.element);
  if (request.json)
    channel.line(explain_json(facts));
  else
    for (const std::string& line : explain_lines(facts, request.replay)) channel.line(line);
  return 0;
}

}  // namespace gradproof
