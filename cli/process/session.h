// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/process/child.h"

namespace gradproof {

/// All messages of a worker about one request.
struct Reply {
  std::vector<Record> records;
  std::optional<Failure> failure;
  /// Crashed, TimedOut or InstrumentBroken if the worker was lost over the request.
  std::optional<Verdict> lost;
  /// True if the worker was lost to a signal from outside, or for want of memory: nothing is said
  /// against the request before it was asked again.
  bool killed = false;
  std::string memory = {};  ///< then: what the operating system says of it
  bool interrupted = false;
  double peak_bytes = 0;            ///< of the worker, as it said
  std::optional<AuditPhase> phase;  ///< of an audit: what it was at last
  int code = 0;                     ///< of a verb that prints its own text
  /// The Cases whose kernel was running when the worker was lost, if the request is about no single
  /// Case.
  std::vector<std::string> running = {};
  std::vector<std::string> parts = {};  ///< of the answer, to be handed back
};

/// The message that a worker was killed over a Case, or over a verb, and another one was asked.
std::string asked_again_text(const std::string& subject);

/// Takes the lines of a verb's own text, and the names of an audit's phases, as they come.
using LineReader = std::function<void(const std::string&)>;

/// Takes the progress of an answer, and the findings of cells, as they come.
struct SessionWatch {
  std::function<void(const WorkReached&)> reached = [](const WorkReached&) {};
  std::function<void(const FoundCell&)> found = [](const FoundCell&) {};
};

/// A worker that is always there: if one dies, hangs or sends nonsense, only its current request is
/// lost, and the next request meets a fresh one.
class Session {
 public:
  Session(std::string program, double deadline_seconds, const Interrupt& interrupt);

  /// Sees to it that a worker is there, or on its way, that lives as long as the calling thread: it
  /// starts one without waiting for its hello, in place of one that has ended or will end with
  /// another thread. Throws InstrumentError where none can be started.
  void begin();

  /// The worker's hello; starts one if none runs. Throws InstrumentError with the reason if the
  /// worker cannot be started, says nothing or speaks another protocol, and throws Interrupted.
  const Hello& hello();
  std::vector<SchemaPtr> schemas();
  const std::string& program() const { return program_; }
  /// The time from the worker's start until its hello, for one that begin() started from the first
  /// question on; 0 if none has been started.
  std::chrono::duration<double> seconds_to_start() const { return seconds_to_start_; }

  /// Sends a request before anybody waits for its answer, which ask() of the same request returns.
  /// Any other request waits until it is answered. Throws as hello() does.
  void send_early(const Request& request);

  /// Asks and waits for the answer. Throws InstrumentError only if no worker can be started.
  Reply ask(const Request& request);
  /// Asks with this deadline instead of the session's; `read` takes the lines as they come.
  Reply ask(
      const Request& request, double deadline_seconds,
      const LineReader& read = [](const std::string&) {});

  /// From here on `watch` sees what answers say before their end.
  void set_watch(SessionWatch watch) { watch_ = std::move(watch); }

  const Interrupt& interrupt() const { return interrupt_; }
  double deadline_seconds() const { return deadline_seconds_; }

 private:
  struct Exchange {
    Reply reply;
    bool announced = false;
    std::uint64_t steps = 0;  ///< of the executor, as far as it reported
  };

  void start();
  /// True if a worker is there; false if it was ended from outside before its hello.
  bool try_to_start();
  Exchange exchange(const Request& request, double deadline_seconds, const LineReader& read);
  /// Sends the request, unless that was done early. What was asked early in its place is answered
  /// first, and nobody has the answer.
  void send(const Request& request, double deadline_seconds);
  /// Takes a message into the reply; true if the reply is complete.
  bool take(const Message& message, const Request& request, Exchange& exchange) const;
  void lose(Exchange& exchange, double deadline_seconds);
  /// Notes that the worker ran out of memory and leaves.
  void lose_for_memory(Exchange& exchange);

  std::string program_;
  double deadline_seconds_;
  const Interrupt& interrupt_;
  SessionWatch watch_;
  std::unique_ptr<Child> child_;
  std::unique_ptr<Child> begun_;  ///< it has not said hello
  std::optional<Request> early_;  ///< the worker has it, and nobody has its answer
  std::optional<Hello> hello_;
  std::chrono::duration<double> seconds_to_start_{0};
};

}  // namespace gradproof
