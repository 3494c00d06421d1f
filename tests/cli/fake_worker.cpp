// SPDX-License-Identifier: Apache-2.0
// A worker without kernels, for tests of the front: the key `behave` says what becomes of a Case,
// the environment variable FAKE_WORKER how the program starts, or that its kernel is less accurate
// (rough). FAKE_MEETING is the folder in which Cases meet and note that they were there.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>

#include <unistd.h>

#include "cli/protocol/channel.h"
#include "core/case/case.h"
#include "core/error.h"
#include "tests/support/fake_audit.h"
#include "tests/support/fake_schema.h"

using namespace gradproof;

namespace {

Context fake_context() { return {"cpu", "fake", "none", "0"}; }

bool starts(std::string_view how) {
  const char* given = std::getenv("FAKE_WORKER");
  return given != nullptr && given == how;
}

Record record_of(const Case& c, const std::string& tensor, Outcome outcome) {
  Record r;
  r.case_text = to_string(c);
  r.kernel = c.is("mutant", "worse") ? "sample/worse" : c.word();
  r.dtype = c.text("dtype");
  r.mode = c.schema().has("mode") ? c.text("mode") : kAnyMode;
  r.tensor = tensor;
  r.witness = "nobody";
  r.shape = {c.integer("rows"), c.integer("cols")};
  r.why = "made up";
  r.context = fake_context();
  r.digest = (starts("rough") ? "1" : "0") + std::string(13, '0') +
             std::to_string(10 + c.integer("seed") % 90);
  r.verdict = {outcome, outcome == Outcome::passed ? "" : "as planted"};
  Discrepancy& d = r.discrepancy();
  d.elements = numel(r.shape);
  d.max_ratio = d.worst.ratio = starts("rough") ? 0.9375 : 0.5;
  d.rms_ratio = starts("rough") ? 0.875 : 0.125;
  d.worst.ulp = 1.5;
  if (outcome != Outcome::failed) return r;
  d.bad = 1;
  d.max_ratio = d.worst.ratio = 9.5;
  d.first_bad = {d.worst};
  return r;
}

/// `mutant=worse` and `behave=fail` fail in d_x from 3 rows on: shrinking has an end to find.
Outcome outcome_of(const Case& c) {
  const bool wrong = c.is("behave", "fail") || c.is("mutant", "worse");
  if (wrong && c.integer("rows") >= 3) return Outcome::failed;
  if (c.is("behave", "mistrust")) return Outcome::mistrusted;
  if (c.is("behave", "broken")) return Outcome::instrument_broken;
  if (c.is("behave", "differ")) return Outcome::nondeterministic;
  return Outcome::passed;
}

void write_raw(std::string_view text) {
  if (write(kAnswerDescriptor, text.data(), text.size()) < 0) std::abort();
}

/// Notes the Case in the folder and waits until two are there: both Cases are then under way.
void meet(const Case& c) {
  const std::filesystem::path folder = std::getenv("FAKE_MEETING");
  std::ofstream(folder / std::to_string(c.integer("seed"))).close();
  const auto all = [&] {
    return std::distance(std::filesystem::directory_iterator(folder),
                         std::filesystem::directory_iterator());
  };
  while (all() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

/// True if no worker was at this Case before.
bool first_time(const Case& c) {
  const std::filesystem::path folder = std::getenv("FAKE_MEETING");
  return std::filesystem::create_directory(folder / to_string(c));
}

/// Ends the process by the signal of `behave`; where its word says `once`, on the first visit only.
void die(const Case& c) {
  if (c.is("behave", "crash")) std::abort();
  if (c.is("behave", "killed")) std::raise(SIGKILL);
  if (c.is("behave", "killed_once") && first_time(c)) std::raise(SIGKILL);
  if (c.is("behave", "terminated_once") && first_time(c)) std::raise(SIGTERM);
  if (c.is("behave", "crash_once") && first_time(c)) std::abort();
}

/// Answers without end; the front ends the worker.
void flood(WorkerChannel& channel, const Case& c) {
  while (c.is("behave", "endless_line")) write_raw(std::string(1 << 16, 'x'));
  while (c.is("behave", "endless_records")) channel.record(record_of(c, "y", Outcome::passed));
  while (c.is("behave", "endless_lines")) channel.line(std::string(1000, 'x'));
}

/// Does what `behave` says before the answer; returns only where an answer is to follow.
void misbehave(WorkerChannel& channel, const Case& c) {
  die(c);
  flood(channel, c);
  if (c.is("behave", "exit")) std::exit(7);
  if (c.is("behave", "meet")) meet(c);
  for (int i = 0; i < 3 && c.is("behave", "work"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    channel.working(1000);
  }
  if (c.is("behave", "brief")) std::this_thread::sleep_for(std::chrono::milliseconds(4));
  if (c.is("behave", "stuck")) channel.working(3000000);
  if (c.is("behave", "hang") || c.is("behave", "stuck"))
    std::this_thread::sleep_for(std::chrono::hours(1));
  if (c.is("behave", "garbage")) write_raw("Segmentation fault (not a message)\n");
  if (!c.is("behave", "partial")) return;
  write_raw(R"({"record":{"schema_version":5,"ca)");
  std::exit(0);
}

void answer(WorkerChannel& channel, const Case& c) {
  for (const char* kind : {"usage", "instrument", "skip"})
    if (c.is("behave", kind)) return channel.error(kind, "as planted");
  if (c.is("behave", "nothing")) return channel.done();
  const Case judged = c.is("behave", "elsewhere") ? c.with("seed", "99") : c;
  channel.record(record_of(judged, "y", Outcome::passed));
  if (c.is("behave", "half")) std::this_thread::sleep_for(std::chrono::hours(1));
  channel.record(record_of(judged, "d_x", outcome_of(judged)));
  channel.done();
}

/// Answers with the request itself, a line every 0.4 s, and an exit code that no other verb has.
void answer_in_lines(WorkerChannel& channel, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    channel.progress("lines", &line - &lines.front(), std::ssize(lines));
    if (&line != &lines.front()) std::this_thread::sleep_for(std::chrono::milliseconds(400));
    channel.line(line);
  }
  channel.done(5);
}

/// `bench kernels` hangs after a row; each other benchmark has three; a calibration has a line for
/// each kernel.
void answer_about_no_case(WorkerChannel& channel, const Request& request) {
  std::vector<std::string> lines{to_line(request)};
  if (const auto* bench = std::get_if<BenchRequest>(&request)) {
    if (bench->name == "kernels") {
      channel.line("a row");
      std::this_thread::sleep_for(std::chrono::hours(1));
    }
    lines.insert(lines.end(), {"row 1", "row 2", "row 3"});
  }
  if (const auto* calibrate = std::get_if<CalibrateRequest>(&request))
    lines.insert(lines.end(), calibrate->kernels.begin(), calibrate->kernels.end());
  answer_in_lines(channel, lines);
}

/// With `behave=slow` rows come 0.4 s apart; with `behave=kernel_crash` the kernel ends the worker.
void answer_audit(WorkerChannel& channel, const Case& c, const AuditRequest& request) {
  for (const char* kind : {"usage", "instrument", "skip"})
    if (c.is("behave", kind)) return channel.error(kind, "as planted");
  channel.phase(AuditPhase::kernel);
  if (request.kernel) {
    if (c.is("behave", "kernel_crash")) std::abort();
    if (c.is("behave", "kernel_killed")) std::raise(SIGKILL);
    if (c.is("behave", "kernel_killed_once") && first_time(c)) std::raise(SIGKILL);
  }
  channel.phase(AuditPhase::differences);
  AuditRow row = audit_row(c, request);
  if (c.is("behave", "fail") || c.is("mutant", "worse")) {
    row.verdict = Outcome::wrong;
    row.reason = "kernel: 15 of 15 entries, the worst [3,2]; off by 1/d";
  }
  if (c.is("behave", "mistrust")) {
    row.verdict = Outcome::inconclusive;
    row.inconclusive = {{OpenReason::kink, 2, 1}};
  }
  for (int i = 0; i < (c.is("behave", "slow") ? 4 : 1); ++i) {
    if (c.is("behave", "slow")) std::this_thread::sleep_for(std::chrono::milliseconds(400));
    row.tensor = i == 0 ? "d_x" : "d_" + std::to_string(i);
    if (!c.is("behave", "nothing"))
      channel.record(audited(c, record_of(c, row.tensor, Outcome::passed), row));
  }
  channel.done();
}

void serve(WorkerChannel& channel) {
  const std::vector<SchemaPtr> schemas{std::make_shared<const Schema>(fake_schema()),
                                       std::make_shared<const Schema>(plain_schema())};
  channel.send_hello(fake_context(), schemas, {{"LibTorch", "none", false, "install it"}});
  while (const auto request = channel.receive()) {
    if (!asks_about_case(*request)) {
      answer_about_no_case(channel, *request);
      continue;
    }
    const Case c = parse_case(subject_of(*request), schemas);
    channel.announce(*request);
    misbehave(channel, c);
    if (const auto* asked = std::get_if<AuditRequest>(&*request))
      answer_audit(channel, c, *asked);
    else if (std::holds_alternative<CheckRequest>(*request))
      answer(channel, c);
    else
      answer_in_lines(channel, {to_line(*request)});
  }
}

}  // namespace

int main() {
  if (starts("exit")) return 7;
  if (starts("silent")) std::this_thread::sleep_for(std::chrono::hours(1));
  if (starts("refused") || starts("broken")) {
    WorkerChannel().error(starts("refused") ? "usage" : "instrument", "there is no such kernel");
    return 2;
  }
  if (starts("garbage")) {
    write_raw("hello there\n");
    return 0;
  }
  if (starts("old")) {
    write_raw("{\"hello\":0,\"version\":\"0.0\"}\n");
    return 0;
  }
  WorkerChannel channel;
  serve(channel);
  return 0;
}
