// SPDX-License-Identifier: Apache-2.0
#include "cli/front/relayed_verb.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/ask.h"
#include "cli/front/printed_commands.h"
#include "cli/front/terminal/json_lines.h"
#include "cli/front/terminal/paint.h"
#include "cli/front/terminal/width.h"
#include "cli/protocol/standard_streams.h"
#include "core/error.h"
#include "reports/record/record_json.h"
#include "reports/text/evidence.h"

namespace gradproof {
namespace {

constexpr int kWrong = 1;
constexpr int kIncomplete = 4;
/// The most Cases without which a verb goes on, enough for a kernel that crashes everywhere.
constexpr std::size_t kMostLost = 20;

bool takes_worker_down(const Record& record) {
  const Outcome outcome = record.verdict.outcome;
  return record.tensor == kExecution &&
         (outcome == Outcome::crashed || outcome == Outcome::timed_out);
}

}  // namespace

RelayedVerb::RelayedVerb(Session& session, const Options& options, Request request,
                         std::function<void(const FoundCell&)> on_cell)
    : session_(session),
      options_(options),
      request_(std::move(request)),
      on_cell_(std::move(on_cell)) {
  const auto* cells = std::get_if<RunCellsRequest>(&request_);
  of_cells_ = cells == nullptr ? 0 : cells->cells.size();
  session_.set_watch({[this](const WorkReached& reached) {
                        if (of_cells_ == 0) show(reached);
                      },
                      [this](const FoundCell& cell) { take(cell); }});
}

RelayedVerb::~RelayedVerb() { session_.set_watch({}); }

void RelayedVerb::take(const FoundCell& cell) {
  auto* const asked = std::get_if<RunCellsRequest>(&request_);
  if (asked == nullptr || std::erase(asked->cells, cell.cell) == 0)
    throw InstrumentError(
        fmt::format("the worker speaks of the cell '{}', which is not asked for", cell.cell));
  on_cell_(cell);
  const auto of = static_cast<std::int64_t>(of_cells_);
  show({"cells", of - std::ssize(asked->cells), of});
}

int RelayedVerb::run() {
  while (true) {
    const Reply reply = ask();
    if (!reply.lost) progress_.reset();
    const std::string interrupted = "interrupted before its end";
    if (reply.interrupted) return ended(interrupted, kIncomplete);
    if (!reply.lost) return code_of(reply);
    const bool goes_on = can_go_on(reply);
    if (session_.interrupt().raised()) return ended(interrupted, kIncomplete);
    if (!lost_.empty() && asks_about_case(request_))
      return ended("the Case takes its worker down: nothing is said of its numbers", kWrong);
    if (lost_.size() > kMostLost) return ended("too many Cases took a worker down", kWrong);
    if (!goes_on) throw InstrumentError(text_of_loss(reply));
  }
}

Reply RelayedVerb::ask() {
  if (!lost_.empty())
    if (Reply refused = session_.ask(AvoidRequest{lost_}); refused.lost || refused.interrupted)
      return refused;
  Reply reply = session_.ask(request_, options_.deadline, [this](const std::string& line) {
    print(line, options_.json);
    printed_ = true;
  });
  std::visit(
      [&](auto& request) {
        if constexpr (requires { request.parts; })
          request.parts.insert(request.parts.end(), reply.parts.begin(), reply.parts.end());
      },
      request_);
  return reply;
}

std::vector<std::string> RelayedVerb::suspects_of(const Reply& reply) const {
  // A worker that wrote something that is no message has a fault of its own, not of a kernel.
  const bool babbled = reply.lost && reply.lost->outcome == Outcome::instrument_broken;
  if (!asks_about_case(request_) || babbled) return reply.running;
  return {subject_of(request_)};
}

bool RelayedVerb::can_go_on(const Reply& reply) {
  const std::vector<LostCase> found = lost_among(suspects_of(reply));
  lost_.insert(lost_.end(), found.begin(), found.end());
  if (!found.empty() && asks_about_case(request_)) return false;
  if (!found.empty()) {
    complain(fmt::format("gradproof: {} goes on in a fresh worker without '{}'", verb_of(request_),
                         found.back().case_text));
    return true;
  }
  // A request about one Case that has printed its answer is not repeated: the answer would be
  // printed twice.
  const bool said = asks_about_case(request_) && printed_;
  if (!reply.killed || said || std::exchange(asked_again_, true)) return false;
  complain(asked_again_text(subject_of(request_)));
  return true;
}

std::vector<LostCase> RelayedVerb::lost_among(const std::vector<std::string>& cases) {
  std::vector<std::string> all = cases;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<LostCase> lost;
  for (const std::string& text : all) {
    const Case c = parse_case(text, session_.schemas());
    const CaseReply alone = ask_check(session_, c, options_.deadline, Detail::of_failures);
    for (const Record& record : alone.records) {
      if (!takes_worker_down(record)) continue;
      lost.push_back(
          {text, fmt::format("{} {}", name_of(record.verdict.outcome), record.verdict.reason)});
      print(record);
    }
  }
  return lost;
}

void RelayedVerb::print(const Record& record) {
  if (options_.json) return print(record_line(record), true);
  std::string text =
      evidence_lines(record, commands_of(options_), evidence_width(options_.verbose));
  text.pop_back();  // print adds the line feed
  print(text, false);
}

void RelayedVerb::print(const std::string& line, bool json) {
  std::unique_lock<std::mutex> held;
  if (progress_) held = progress_->hold();
  json ? fmt::print("{}\n", line) : say(line + "\n");
  flush_output();
}

/// Shows the progress on a terminal. Elsewhere the lines of the verb itself say how far it is.
void RelayedVerb::show(const WorkReached& reached) {
  if (style_of_standard_error() != ProgressStyle::line) return;
  WorkDone done;
  done.what = reached.what;
  done.cases = static_cast<std::size_t>(std::max<std::int64_t>(reached.done, 0));
  done.of_cases = static_cast<std::size_t>(std::max<std::int64_t>(reached.of, 0));
  done.cost = static_cast<double>(reached.done);
  done.of_cost = static_cast<double>(reached.of);
  if (!progress_) progress_.emplace(ProgressStyle::line, done);
  progress_->reached(done);
}

int RelayedVerb::ended(const std::string& why, int code) {
  progress_.reset();
  const std::chrono::duration<double> seconds = Clock::now() - start_;
  const std::string text = why + "; what stands above is all";
  if (options_.json)
    fmt::print("{}\n{{\"result\":{{\"incomplete\":1,\"seconds\":{:.2f}}}}}\n",
               incomplete_json(text), seconds.count());
  else
    say(fmt::format("incomplete: {}\nRESULT incomplete=1 seconds={:.2f}\n", text, seconds.count()));
  return code;
}

int RelayedVerb::code_of(const Reply& reply) const {
  if (reply.failure && reply.failure->kind == kUsage) throw UsageError(reply.failure->text);
  if (reply.failure && reply.failure->kind == "skip") {
    say(fmt::format("skipped: {}\n", reply.failure->text));
    return kIncomplete;
  }
  if (reply.failure) throw InstrumentError(reply.failure->text);
  const bool right = reply.code == 0 || reply.code == kIncomplete;
  return right && !lost_.empty() ? kWrong : reply.code;
}

std::string RelayedVerb::text_of_loss(const Reply& reply) const {
  std::string text = fmt::format("{}: {} {}{}", verb_of(request_), name_of(reply.lost->outcome),
                                 reply.lost->reason, asked_again_ ? ", twice" : "");
  if (!reply.memory.empty()) text += "; " + reply.memory;
  const std::vector<std::string> suspects = suspects_of(reply);
  if (suspects.empty()) return text;
  return text + fmt::format("; alone none of these does it: '{}'", fmt::join(suspects, "' '"));
}

}  // namespace gradproof
