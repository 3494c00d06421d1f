// SPDX-License-Identifier: Apache-2.0
#include "cli/front/candidates/python_process.h"

#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/process/interrupt.h"
#include "cli/protocol/standard_streams.h"
#include "core/error.h"

namespace gradproof {
namespace {

using std::chrono::milliseconds;

/// Between two looks at whether it has ended.
constexpr milliseconds kPause(20);
/// So long it may take to end the processes that it started.
constexpr milliseconds kPatience(10'000);

/// Attributes of a process that begins a group of its own and in which no signal is blocked.
class OwnGroup {
 public:
  OwnGroup() : attributes_() {
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~OwnGroup() { posix_spawnattr_destroy(&attributes_); }
  OwnGroup(const OwnGroup&) = delete;
  OwnGroup& operator=(const OwnGroup&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

pid_t started(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  flush_output();
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, arguments.front(), nullptr, OwnGroup().get(), arguments.data(), environ);
  if (error != 0)
    throw UsageError(fmt::format("--python-program: cannot start '{}': {}", words.front(),
                                 std::strerror(error)));
  return child;
}

/// Nothing while it runs.
std::optional<int> status_of(pid_t child) {
  int status = 0;
  return waitpid(child, &status, WNOHANG) == child ? std::optional(status) : std::nullopt;
}

/// Asks it to end with all that it started, and sees to it that it does.
void end(pid_t child) {
  kill(-child, SIGTERM);
  for (milliseconds waited(0); waited < kPatience; waited += kPause) {
    if (status_of(child)) return;
    std::this_thread::sleep_for(kPause);
  }
  kill(-child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace

int python_status(const std::vector<std::string>& words) {
  const Interrupt interrupt;
  const pid_t child = started(words);
  while (true) {
    if (const auto status = status_of(child)) return *status;
    pollfd wait{interrupt.descriptor(), POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(kPause.count())) != 1) continue;
    end(child);
    throw Interrupted("interrupted while the candidate ran: nothing was judged");
  }
}

}  // namespace gradproof
