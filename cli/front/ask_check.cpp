// SPDX-License-Identifier: Apache-2.0
#include "cli/front/ask_check.h"

#include <fmt/format.h>

namespace gradproof {
namespace {

std::string text_or(const Case& c, const std::string& key, const std::string& fallback) {
  return c.schema().has(key) ? c.text(key) : fallback;
}

Verdict verdict_of(const Failure& failure) {
  return {failure.kind == "skip" ? Outcome::skipped : Outcome::instrument_broken, failure.text};
}

}  // namespace

Record execution_record(const Case& c, const Context& context, const Verdict& verdict) {
  Record record;
  record.case_text = to_string(c);
  record.kernel = c.word();
  if (const std::string mutant = text_or(c, "mutant", "none"); mutant != "none")
    record.kernel += "/" + mutant;
  record.dtype = text_or(c, "dtype", "");
  record.mode = text_or(c, "mode", kAnyMode);
  record.tensor = kExecution;
  record.context = context;
  record.verdict = verdict;
  return record;
}

CheckReply ask_check(Session& session, const Case& c, double deadline_seconds, Detail detail,
                     const Turn& turn) {
  const Context context = session.hello().context;
  Request request{"check", to_string(c)};
  if (detail == Detail::of_failures) request.arguments.emplace_back("largest=failures");
  if (turn.threads > 0) request.arguments.push_back(fmt::format("threads={}", turn.threads));
  const Reply reply = session.ask(request, deadline_seconds + kSecondsPerElement * elements_of(c));
  CheckReply check{reply.records,    "",         reply.interrupted,
                   reply.peak_bytes, turn.again, reply.killed};
  const auto add = [&](const Verdict& verdict) {
    check.records.push_back(execution_record(c, context, verdict));
  };
  if (reply.killed && !turn.again) return check;
  if (reply.failure && reply.failure->kind == "usage") {
    check.usage_error = reply.failure->text;
  } else if (reply.failure) {
    add(verdict_of(*reply.failure));
  } else if (reply.lost) {
    add({reply.lost->outcome, reply.lost->reason + (reply.killed ? "; twice" : "")});
  } else if (reply.records.empty() && !reply.interrupted) {
    add({Outcome::incomplete, "the worker judged nothing"});
  }
  return check;
}

CheckReply ask_check(Session& session, const Case& c, double deadline_seconds, Detail detail) {
  constexpr int kAllThreads = 0;
  const CheckReply first = ask_check(session, c, deadline_seconds, detail, {0, kAllThreads, false});
  if (!first.killed) return first;
  return ask_check(session, c, deadline_seconds, detail, {0, kAllThreads, true});
}

}  // namespace gradproof
