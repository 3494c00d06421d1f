// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/worker/audit_request.h"
#include "cli/worker/verbs.h"
#include "core/error.h"
#include "core/tensor/element_text.h"
#include "judge/audit_column.h"

namespace gradproof {
namespace {

constexpr std::int64_t kMostEntries = INT64_MAX;
constexpr std::int64_t kMostDigits = 33;
constexpr std::int64_t kMostThreads = 1024;

/// KEY=NUMBER, from 1 to `most`.
std::int64_t number_of(const std::string& word, const std::string& text, std::int64_t most) {
  const std::int64_t number = whole_number(text).value_or(0);
  if (number >= 1 && number <= most) return number;
  throw UsageError(fmt::format("'{}' of '{}' is no whole number from 1 to {}", text, word, most));
}

}  // namespace

AuditRequest audit_request(const std::vector<std::string>& arguments) {
  AuditRequest asked;
  for (const std::string& word : arguments) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string text = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (key == "entries")
      asked.plan.options.entries = number_of(word, text, kMostEntries);
    else if (key == "digits")
      asked.plan.options.digits = static_cast<int>(number_of(word, text, kMostDigits));
    else if (key == "threads")
      asked.plan.threads = static_cast<int>(number_of(word, text, kMostThreads));
    else if (word == "direct=yes")
      asked.plan.options.direct = true;
    else if (key == "column")
      asked.column = text;
    else if (word == "kernel=no")
      asked.plan.kernel = false;
    else if (word == "json=yes")
      asked.json = true;
    else
      throw UsageError(
          fmt::format("unknown argument '{}'; known: entries digits direct=yes column kernel=no "
                      "json=yes threads",
                      word));
  }
  return asked;
}

namespace {

void send_column(const AuditedColumn& column, bool json, WorkerChannel& channel) {
  if (json) return channel.line(json_of(column));
  for (const std::string& line : lines_of(column)) channel.line(line);
}

}  // namespace

int answer_audit(const Systems& systems, const Request& request, WorkerChannel& channel) {
  const Case c = parse_case(request.text, systems.schemas());
  AuditRequest asked = audit_request(request.arguments);
  if (!asked.column.empty()) {
    const AuditedColumn column = column_of(systems, c, asked.column);
    send_column(column, asked.json, channel);
    return exit_code_of(column);
  }
  asked.plan.progress = [&](AuditPhase phase) { channel.phase(phase); };
  asked.plan.row = [&](const AuditRow& row) { channel.audit(row); };
  audit_case(systems, c, asked.plan);
  return 0;
}

}  // namespace gradproof
