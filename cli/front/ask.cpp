// SPDX-License-Identifier: Apache-2.0
#include "cli/front/ask.h"

#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/graph/graph_case.h"

namespace gradproof {
namespace {

/// The time that an audit is granted beyond the deadline for each element of x: about three times
/// what differences of all entries at 33 digits take on one core.
constexpr double kAuditSecondsPerElement = 3e-3;

std::string text_or(const Case& c, const std::string& key, const std::string& fallback) {
  return c.schema().has(key) ? c.text(key) : fallback;
}

/// A Record on the Case as a whole: a crash, a skip, a broken instrument.
Record execution_record(const Case& c, const Context& context, Measured measured) {
  Record record;
  record.case_text = to_string(c);
  record.kernel = system_name(c);
  if (const std::string mutant = text_or(c, "mutant", "none"); mutant != "none")
    record.kernel += "/" + mutant;
  record.dtype = text_or(c, "dtype", "");
  record.mode = text_or(c, "mode", kAnyMode);
  record.tensor = kExecution;
  record.context = context;
  if (measured == Measured::comparison) return record;
  record.shape = {0};
  record.figures = AuditFigures();
  return record;
}

/// The reason for the loss of the worker.
std::string reason_of(const Reply& reply) {
  const std::string& memory = reply.memory;
  return reply.lost->reason + (reply.killed ? ", twice" : "") + (memory.empty() ? "" : "; ") +
         memory;
}

/// The verdict on a Case about which the worker did not say all; nothing if it did.
std::optional<Verdict> unsaid(const Reply& reply, Measured measured) {
  if (reply.failure)
    return Verdict{reply.failure->kind == "skip" ? Outcome::skipped : Outcome::instrument_broken,
                   reply.failure->text};
  if (reply.lost) {
    const std::string reason = reason_of(reply);
    if (measured == Measured::comparison) return Verdict{reply.lost->outcome, reason};
    // The differences need no kernel: what ends the worker over them is the instrument.
    return Verdict{Outcome::instrument_broken,
                   fmt::format("{} {}", name_of(reply.lost->outcome), reason)};
  }
  if (reply.interrupted || !reply.records.empty()) return std::nullopt;
  return Verdict{Outcome::incomplete, "the worker judged nothing"};
}

/// Adds a Record where there is none: a Case without a Record would leave no gap.
CaseReply completed(Reply reply, const Turn& turn, Record execution) {
  CaseReply whole{std::move(reply.records), "",         reply.interrupted,
                  reply.peak_bytes,         turn.again, reply.killed};
  if (reply.killed && !turn.again) return whole;
  if (reply.failure && reply.failure->kind == kUsage) {
    whole.usage_error = reply.failure->text;
    return whole;
  }
  reply.records = whole.records;
  if (auto verdict = unsaid(reply, execution.measured())) {
    execution.verdict = std::move(*verdict);
    whole.records.push_back(std::move(execution));
  }
  return whole;
}

/// Up to this many Cases of a command line are asked about with no second witness if nothing is
/// wrong: the start of the witness takes longer than they do. So are the sets of tensors of one
/// `judge`, however many. A suite, a file of Cases or a plan always has the witness, and so does a
/// run that is kept as a record.
constexpr std::size_t kMostUnwitnessed = 8;

}  // namespace

SecondWitness second_witness(const Options& options, std::size_t cases) {
  const bool of_a_file = !options.suite.empty() || !options.cases_file.empty() ||
                         !options.plan.empty() || !options.rerun_failed.empty();
  const bool several = cases > kMostUnwitnessed && options.inputs.empty();
  const bool all = of_a_file || !options.records.empty() || options.verbose || several;
  return all ? SecondWitness::of_all : SecondWitness::of_failures;
}

CaseReply not_asked(Session& session, const Case& c, const std::string& reason) {
  Record record = execution_record(c, session.hello().context, Measured::comparison);
  record.verdict = {Outcome::skipped, reason};
  CaseReply reply;
  reply.records.push_back(std::move(record));
  return reply;
}

CaseReply ask_check(Session& session, const Case& c, double deadline_seconds, Detail detail,
                    const Turn& turn, SecondWitness witness) {
  const Record execution = execution_record(c, session.hello().context, Measured::comparison);
  const CheckRequest request{to_string(c), detail, turn.threads, witness};
  return completed(session.ask(request, deadline_seconds + kSecondsPerElement * elements_of(c)),
                   turn, execution);
}

CaseReply ask_check(Session& session, const Case& c, double deadline_seconds, Detail detail) {
  constexpr int kAllThreads = 0;
  const CaseReply first = ask_check(session, c, deadline_seconds, detail, {0, kAllThreads, false});
  if (!first.killed) return first;
  return ask_check(session, c, deadline_seconds, detail, {0, kAllThreads, true});
}

CaseReply ask_audit(Session& session, const Case& c, AuditRequest request, const Turn& turn,
                    const LineReader& read) {
  const Record execution = execution_record(c, session.hello().context, Measured::differences);
  request.case_text = to_string(c);
  request.threads = turn.threads;
  const double deadline = session.deadline_seconds() + kAuditSecondsPerElement * elements_of(c);
  const Reply reply = session.ask(request, deadline, read);
  const bool of_kernel = reply.lost && reply.phase == AuditPhase::kernel &&
                         reply.lost->outcome != Outcome::instrument_broken;
  if (!of_kernel || (reply.killed && !turn.again)) return completed(reply, turn, execution);
  AuditWitness kernel;
  kernel.name = Witness::kernel;
  kernel.verdict = WitnessVerdict::wrong;
  kernel.text = fmt::format("{} {}", name_of(reply.lost->outcome), reason_of(reply));
  request.kernel = false;
  CaseReply audit = completed(session.ask(request, deadline, read), turn, execution);
  for (Record& record : audit.records) add_witness(record, kernel);
  return audit;
}

}  // namespace gradproof
