// SPDX-License-Identifier: Apache-2.0
#include "cli/process/session.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

Clock::time_point in_seconds(double seconds) {
  constexpr double kLongest = 1e9;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(seconds, kLongest)));
}

std::string timeout_text(double seconds, std::uint64_t steps) {
  const std::string text = fmt::format("no answer in {:.3g} s", seconds);
  if (steps == 0) return text;
  return fmt::format("{} after {:.2g} steps of the executor", text, static_cast<double>(steps));
}

/// True for messages by which the worker shows that it is at work.
bool renews_deadline(const Message& message) {
  return std::holds_alternative<TextLine>(message) || std::holds_alternative<Record>(message) ||
         std::holds_alternative<AuditPhase>(message) || std::holds_alternative<Working>(message) ||
         std::holds_alternative<WorkReached>(message) ||
         std::holds_alternative<FoundCell>(message) || std::holds_alternative<AnswerPart>(message);
}

}  // namespace

std::string asked_again_text(const std::string& subject) {
  return fmt::format(
      "gradproof: a worker was killed from outside, or for want of memory, over '{}'; asked again, "
      "alone",
      subject);
}

Session::Session(std::string program, double deadline_seconds, const Interrupt& interrupt)
    : program_(std::move(program)), deadline_seconds_(deadline_seconds), interrupt_(interrupt) {}

void Session::begin() {
  if (child_ && !child_->stays()) {
    child_.reset();
    early_.reset();
  }
  if (begun_ && !begun_->stays()) begun_.reset();
  if (!child_ && !begun_) begun_ = std::make_unique<Child>(program_);
}

const Hello& Session::hello() {
  if (!child_) start();
  return *hello_;
}

std::vector<SchemaPtr> Session::schemas() {
  std::vector<SchemaPtr> pointers;
  for (const Schema& schema : hello().schemas)
    pointers.push_back(std::make_shared<const Schema>(schema));
  return pointers;
}

void Session::start() {
  // An end by somebody else's signal says nothing of the program, so it is started once more.
  if (!try_to_start() && !try_to_start())
    throw InstrumentError(
        fmt::format("worker '{}' did not say hello: twice it was killed from outside", program_));
}

bool Session::try_to_start() {
  const auto start = Clock::now();
  auto child = begun_ ? std::move(begun_) : std::make_unique<Child>(program_);
  std::optional<Message> message;
  try {
    message = child->receive(in_seconds(deadline_seconds_), interrupt_);
  } catch (const InstrumentError& error) {
    throw InstrumentError(fmt::format("worker '{}': {}", program_, error.what()));
  }
  if (message && std::holds_alternative<Hello>(*message)) {
    hello_ = std::get<Hello>(*message);
    child_ = std::move(child);
    seconds_to_start_ = Clock::now() - start;
    return true;
  }
  if (const auto* failure = message ? std::get_if<Failure>(&*message) : nullptr;
      failure && failure->kind == kUsage)
    throw UsageError(fmt::format("worker '{}': {}", program_, failure->text));
  const bool ended = !message && child->silence() == Silence::ended;
  const Ending ending = ended ? child->end() : Ending();
  if (interrupt_.raised()) throw Interrupted("interrupted before the worker was there");
  if (ending.from_outside) return false;
  throw InstrumentError(fmt::format("worker '{}' did not say hello: {}", program_,
                                    ended     ? ending.text
                                    : message ? "it said something else"
                                              : "silence"));
}

bool Session::take(const Message& message, const Request& request, Exchange& exchange) const {
  Reply& reply = exchange.reply;
  if (const auto* announce = std::get_if<Announce>(&message)) {
    if (announce->subject != subject_of(request))
      throw InstrumentError(fmt::format("the worker announced '{}'", announce->subject));
    exchange.announced = true;
  } else if (const auto* record = std::get_if<Record>(&message)) {
    if (record->case_text != subject_of(request))
      throw InstrumentError(fmt::format("the worker judged '{}'", record->case_text));
    reply.records.push_back(*record);
  } else if (const auto* working = std::get_if<Working>(&message)) {
    exchange.steps += working->steps;
  } else if (const auto* failure = std::get_if<Failure>(&message)) {
    reply.failure = *failure;
    return true;
  } else if (const auto* phase = std::get_if<AuditPhase>(&message)) {
    reply.phase = *phase;
  } else if (const auto* done = std::get_if<Done>(&message)) {
    reply.peak_bytes = done->peak_bytes;
    reply.code = done->code;
    return true;
  } else if (const auto* running = std::get_if<Running>(&message)) {
    if (running->ended)
      std::erase(reply.running, running->case_text);
    else
      reply.running.push_back(running->case_text);
  } else if (const auto* part = std::get_if<AnswerPart>(&message)) {
    reply.parts.push_back(part->state);
  } else if (std::holds_alternative<Hello>(message)) {
    throw InstrumentError("the worker said hello twice");
  }
  return false;
}

void Session::lose(Exchange& exchange, double deadline_seconds) {
  Reply& reply = exchange.reply;
  const Silence silence = child_->silence();
  const Ending ending = child_->end();
  child_.reset();
  // A user's signal that ends the program may end its worker first.
  const bool killed = silence == Silence::ended && ending.from_outside;
  reply.interrupted = silence == Silence::interrupted || (killed && interrupt_.raised());
  if (reply.interrupted) return;
  reply.killed = killed;
  reply.memory = ending.memory;
  if (silence == Silence::ended) reply.lost = Verdict{Outcome::crashed, ending.text};
  if (silence == Silence::deadline)
    reply.lost = Verdict{Outcome::timed_out, timeout_text(deadline_seconds, exchange.steps)};
}

void Session::lose_for_memory(Exchange& exchange) {
  Reply& reply = exchange.reply;
  reply.killed = true;
  reply.lost = Verdict{Outcome::crashed, "out of memory: " + reply.failure->text};
  reply.memory = MemoryDeaths().evidence(0);
  reply.failure.reset();
  child_.reset();
}

Session::Exchange Session::exchange(const Request& request, double deadline_seconds,
                                    const LineReader& read) {
  Exchange exchange;
  try {
    hello();  // a worker that cannot start is no fault of the request's: thrown
  } catch (const Interrupted&) {
    exchange.reply.interrupted = true;
    return exchange;
  }
  try {
    send(request, deadline_seconds);
    auto deadline = in_seconds(deadline_seconds);
    while (const auto message = child_->receive(deadline, interrupt_)) {
      if (const auto* line = std::get_if<TextLine>(&*message)) read(line->text);
      if (const auto* part = std::get_if<AnswerPart>(&*message))
        for (const std::string& line : part->lines) read(line);
      if (const auto* phase = std::get_if<AuditPhase>(&*message))
        read(std::string(name_of(*phase)));
      if (const auto* reached = std::get_if<WorkReached>(&*message)) watch_.reached(*reached);
      if (const auto* cell = std::get_if<FoundCell>(&*message)) watch_.found(*cell);
      if (take(*message, request, exchange)) {
        const auto& failure = exchange.reply.failure;
        if (failure && failure->kind == kOutOfMemory) lose_for_memory(exchange);
        return exchange;
      }
      if (renews_deadline(*message)) deadline = in_seconds(deadline_seconds);
    }
    lose(exchange, deadline_seconds);
  } catch (const InstrumentError& error) {
    child_.reset();
    exchange.reply = {};  // what it said before is as good as what broke it
    exchange.reply.lost = Verdict{Outcome::instrument_broken, error.what()};
  }
  return exchange;
}

void Session::send_early(const Request& request) {
  hello();
  send(request, deadline_seconds_);
  early_ = request;
}

void Session::send(const Request& request, double deadline_seconds) {
  const std::optional<Request> early = std::exchange(early_, std::nullopt);
  if (early && to_line(*early) == to_line(request)) return;
  if (early) {
    early_ = early;
    exchange(*early, deadline_seconds, [](const std::string&) {});
    hello();  // it may have been the worker's last
  }
  child_->send(request);  // where it fails the worker has died, which receive() notices
}

Reply Session::ask(const Request& request) { return ask(request, deadline_seconds_); }

Reply Session::ask(const Request& request, double deadline_seconds, const LineReader& read) {
  Exchange first = exchange(request, deadline_seconds, read);
  const bool crashed = first.reply.lost && first.reply.lost->outcome == Outcome::crashed;
  if (!crashed || first.announced) return first.reply;
  // It died before it took the request up, so the request is not to blame yet: once more.
  return exchange(request, deadline_seconds, read).reply;
}

}  // namespace gradproof
