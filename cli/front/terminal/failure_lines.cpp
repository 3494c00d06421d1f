// SPDX-License-Identifier: Apache-2.0
#include "cli/front/terminal/failure_lines.h"

#include <algorithm>

#include <fmt/format.h>

#include "reports/record/tally.h"
#include "reports/text/evidence.h"

namespace gradproof {
namespace {

constexpr int kSaidOfATensor = 2;

std::string line_of(const Record& r, const Commands& commands) {
  if (r.measured() == Measured::differences)
    return fmt::format("wrong  {} {}   audit: {}", r.kernel, r.tensor, commands.audit(r.case_text));
  const std::string whole = evidence(r);
  const std::string first = whole.substr(0, whole.find('\n'));
  return fmt::format("{}   replay: {}", first.substr(0, first.find("   why: ")),
                     commands.replay(r.case_text));
}

}  // namespace

std::optional<std::string> FailureLines::of(const std::vector<Record>& records) {
  const auto wrong = std::find_if(records.begin(), records.end(),
                                  [](const Record& r) { return is_wrong(r.verdict.outcome); });
  if (wrong == records.end()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const int said = ++said_[wrong->kernel + " " + wrong->tensor];
  if (said > kSaidOfATensor) return std::nullopt;
  const bool last = said == kSaidOfATensor;
  return line_of(*wrong, commands_) +
         (last ? "   (more of this tensor are counted, not named)" : "");
}

}  // namespace gradproof
