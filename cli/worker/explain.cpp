// SPDX-License-Identifier: Apache-2.0
#include "cli/worker/explain_text.h"
#include "cli/worker/verbs.h"
#include "core/error.h"
#include "judge/check_case.h"

namespace gradproof {

int answer_explain(const Systems& systems, const Request& request, WorkerChannel& channel) {
  std::string element;
  bool json = false;
  for (const std::string& argument : request.arguments) {
    if (argument.starts_with("element="))
      element = argument.substr(std::string_view("element=").size());
    else if (argument == "json=yes")
      json = true;
    else
      throw UsageError("unknown argument '" + argument + "'");
  }
  const ElementFacts facts =
      element_facts(systems, parse_case(request.text, systems.schemas()), element);
  if (json)
    channel.line(explain_json(facts));
  else
    for (const std::string& line : explain_lines(facts)) channel.line(line);
  return 0;
}

}  // namespace gradproof
