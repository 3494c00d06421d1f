// SPDX-License-Identifier: Apache-2.0
#include "cli/front/candidates/python_process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/protocol/standard_streams.h"
#include "core/error.h"
#include "core/line_splitter.h"

namespace gradproof {
namespace {

using std::chrono::milliseconds;

/// The pause between two checks if the process has ended.
constexpr milliseconds kPause(20);
/// The time that the process may take to end the processes that it started.
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

/// A socket between two processes; a line may be as long as it likes.
class Conversation {
 public:
  Conversation() {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) != 0)
      throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  ~Conversation() {
    close(ends_[0]);
    close_other();
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  int own() const { return ends_[0]; }
  int other() const { return ends_[1]; }
  void close_other() {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));
  }
  bool is_open() const { return open_; }

  /// Takes what has come, and answers each line that is whole.
  void answer_lines(const Answerer& answer) {
    std::array<char, 65536> bytes{};
    const ssize_t count = recv(ends_[0], bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) return;
    open_ = count > 0;
    if (!open_) return;
    lines_.append({bytes.data(), static_cast<std::size_t>(count)});
    while (const auto line = lines_.next()) send_line(answer(*line));
  }

 private:
  /// Sends an answer; a process that has ended reads none, and its status tells of its end.
  void send_line(const std::string& answer) {
    const std::string line = answer + "\n";
    for (std::size_t sent = 0; sent < line.size() && open_;) {
      const ssize_t count = send(ends_[0], line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      open_ = count >= 0;
      if (open_) sent += static_cast<std::size_t>(count);
    }
  }

  std::array<int, 2> ends_{-1, -1};
  bool open_ = true;
  LineSplitter lines_;
};

/// The child has the descriptor as kAsking.
class AskingChild {
 public:
  explicit AskingChild(int descriptor) : actions_() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, descriptor, kAsking);
  }
  ~AskingChild() { posix_spawn_file_actions_destroy(&actions_); }
  AskingChild(const AskingChild&) = delete;
  AskingChild& operator=(const AskingChild&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

pid_t started(std::vector<std::string> words, int asking) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  flush_output();
  pid_t child = -1;
  const int error = posix_spawnp(&child, arguments.front(), AskingChild(asking).get(),
                                 OwnGroup().get(), arguments.data(), environ);
  if (error != 0)
    throw UsageError(fmt::format("--python-program: cannot start '{}': {}", words.front(),
                                 std::strerror(error)));
  return child;
}

/// The child's exit status; nothing while it runs.
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

int python_status(const std::vector<std::string>& words, const Interrupt& interrupt,
                  const Answerer& answer) {
  Conversation conversation;
  const pid_t child = started(words, conversation.other());
  conversation.close_other();
  while (true) {
    if (const auto status = status_of(child)) return *status;
    std::array<pollfd, 2> ends{pollfd{interrupt.descriptor(), POLLIN, 0},
                               pollfd{conversation.is_open() ? conversation.own() : -1, POLLIN, 0}};
    poll(ends.data(), ends.size(), static_cast<int>(kPause.count()));
    if (ends[0].revents != 0) {
      end(child);
      throw Interrupted("interrupted while the candidate ran: nothing was judged");
    }
    if (ends[1].revents != 0) conversation.answer_lines(answer);
  }
}

}  // namespace gradproof
