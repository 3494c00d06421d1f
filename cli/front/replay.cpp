// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/front/ask.h"
#include "cli/front/cases.h"
#include "cli/front/printed_commands.h"
#include "cli/front/started.h"
#include "cli/front/terminal/paint.h"
#include "cli/front/terminal/width.h"
#include "cli/front/verbs.h"
#include "cli/protocol/standard_streams.h"
#include "core/error.h"
#include "reports/causes/cause_block.h"
#include "reports/record/tally.h"

namespace gradproof {

int run_replay(const Options& options) {
  if (options.cases.size() != 1) throw UsageError("replay takes one case, in quotes");
  const auto start = Clock::now();
  Interrupt interrupt;
  const auto [session, planned] = started(options, interrupt);
  const Case& c = planned.cases.front();
  const CaseReply reply = ask_check(*session, c, options.deadline, Detail::of_all);
  if (!reply.usage_error.empty()) throw UsageError(reply.usage_error);
  if (reply.asked_again) complain(asked_again_text(to_string(c)));
  say(judged_case_text(reply.records, commands_of(options), output_width()));
  for (const Record& r : reply.records)
    if (!r.digest.empty()) say(fmt::format("bits    {}  {}\n", r.digest, r.tensor));
  const Tally t = tally(reply.records);
  for (const std::string& gap : t.gaps) say_filled(fmt::format("incomplete: {}\n", gap));
  const std::chrono::duration<double> seconds = Clock::now() - start;
  say(result_line(t, seconds.count()) + "\n");
  return exit_code(findings_of(t));
}

}  // namespace gradproof
