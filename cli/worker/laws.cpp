// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/worker/verbs.h"
#include "properties/laws/table.h"
#include "reports/text/text_table.h"

namespace gradproof {
namespace {

void print(const std::vector<TextRow>& rows, int width, WorkerChannel& channel) {
  for (const std::string& line : fitted(rows, static_cast<std::size_t>(width))) channel.line(line);
}

/// The laws that hold of the Case, then those that say nothing of it, and why.
void print_laws(const Systems& systems, const std::string& text, int width,
                WorkerChannel& channel) {
  const Case c = parse_case(text, systems.schemas());
  const Claim claim = claim_for_laws(systems.catalog, c);
  std::vector<TextRow> hold{{"LAW", "SAYS"}};
  std::vector<TextRow> silent{{"LAW", "SAYS NOTHING, FOR"}};
  for (const Law& law : laws()) {
    const std::string silence = law.silence(claim);
    (silence.empty() ? hold : silent).push_back({law.name, silence.empty() ? law.says : silence});
  }
  channel.line(fmt::format("{} of {} laws hold of {}", hold.size() - 1, laws().size(), text));
  channel.line("");
  print(hold, width, channel);
  channel.line("");
  print(silent, width, channel);
}

}  // namespace

int answer_laws(const Systems& systems, const LawsRequest& request, WorkerChannel& channel) {
  for (const std::string& text : request.cases) print_laws(systems, text, request.width, channel);
  if (!request.cases.empty()) return 0;
  for (const std::string& line : law_table(systems.catalog)) channel.line(line);
  return 0;
}

}  // namespace gradproof
