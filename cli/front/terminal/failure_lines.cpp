// SPDX-License-Identifier: Apache-2.0
#include "cli/front/terminal/failure_lines.h"

#include <unistd.h>

#include "cli/front/terminal/width.h"
#include "reports/causes/cause_block.h"
#include "reports/text/wrap.h"

namespace gradproof {
namespace {

constexpr int kSaidOfATensor = 2;

std::string lines_of(const Cause& cause, const std::string& remark, const Commands& commands) {
  const std::size_t width = text_width(STDERR_FILENO);
  const Record& first = cause.first();
  const std::string command = first.measured() == Measured::differences
                                  ? commands.audit(first.case_text)
                                  : commands.replay(first.case_text);
  return cause_headline(cause, width) + field_lines(field_frame("note", width), remark) +
         filled_command(field_frame("replay", width), command);
}

}  // namespace

std::optional<std::string> FailureLines::of(const std::vector<Record>& records) {
  for (const Cause& cause : causes_of(records)) {
    if (cause.part == FaultyPart::instrument) continue;
    const std::lock_guard lock(mutex_);
    const int said = ++said_[cause.kernel + " " + cause.first().tensor];
    if (said > kSaidOfATensor) return std::nullopt;
    const bool last = said == kSaidOfATensor;
    return lines_of(cause, last ? "more of this tensor are counted, not named" : "", commands_);
  }
  return std::nullopt;
}

}  // namespace gradproof
