// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include <sys/types.h>

#include "cli/process/interrupt.h"
#include "cli/process/memory_deaths.h"
#include "cli/process/worker_output.h"
#include "cli/protocol/channel.h"

namespace gradproof {

using Clock = std::chrono::steady_clock;

/// The reason why nothing came from the worker.
enum class Silence { ended, deadline, interrupted };

/// The way in which a worker process ended.
struct Ending {
  std::string text;           ///< "SIGSEGV", "exit code 3"
  bool from_outside = false;  ///< by a signal that no instruction of its own raises
  std::string memory = {};    ///< of SIGKILL: what the operating system says of memory
};

/// A worker process: spawned, never forked, in a process group of its own. Its standard input is
/// empty, its standard output and error go to our standard error, so that our output stays ours.
/// The destructor ends it.
class Child {
 public:
  /// Throws InstrumentError when the program cannot be started.
  explicit Child(const std::string& program);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Sends a request; false if it did not go out, because the worker has died. The messages that
  /// are received from here on are the answer.
  bool send(const Request& request);

  /// The next message; nothing if the worker ended, the deadline passed or the user wants an end:
  /// silence() says which. Throws InstrumentError for a line that is no message, and for an answer
  /// that does not end.
  std::optional<Message> receive(Clock::time_point deadline, const Interrupt& interrupt);
  Silence silence() const { return silence_; }

  /// True if the process is running, and goes on if only the calling thread is left: a process ends
  /// with the thread that started it.
  bool stays() const;

  /// Ends the process, by force after a moment, and says how it ended.
  Ending end();

 private:
  /// Waits for something to read; returns nothing then, else why there will not be anything.
  std::optional<Silence> wait(Clock::time_point deadline, const Interrupt& interrupt);

  pid_t pid_ = -1;
  std::thread::id starter_ = std::this_thread::get_id();
  MemoryDeaths deaths_;
  int requests_ = -1;
  int answers_ = -1;
  std::optional<WorkerOutput> output_;
  LineSplitter lines_;
  std::size_t answered_ = 0;  ///< bytes of messages since the request
  bool owing_ = true;         ///< the hello, or the rest of an answer
  Silence silence_ = Silence::ended;
};

}  // namespace gradproof
