// SPDX-License-Identifier: Apache-2.0
#include "cli/process/child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"

namespace gradproof {
namespace {

/// The read and write end, above the worker's descriptors, so that none overwrites another.
std::pair<int, int> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw InstrumentError("no pipe for the worker");
  std::pair<int, int> high;
  high.first = fcntl(ends[0], F_DUPFD_CLOEXEC, kAnswerDescriptor + 1);
  high.second = fcntl(ends[1], F_DUPFD_CLOEXEC, kAnswerDescriptor + 1);
  close(ends[0]);
  close(ends[1]);
  return high;
}

/// posix_spawn's two parameter blocks.
class SpawnSetup {
 public:
  SpawnSetup(int requests, int answers, int output) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, requests, kRequestDescriptor);
    posix_spawn_file_actions_adddup2(&actions, answers, kAnswerDescriptor);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

/// True for signals that a program's own instructions raise. All others were sent by somebody else:
/// the operating system's kernel when memory runs out (SIGKILL; its user-space helpers send SIGTERM
/// first), a supervisor, a limit.
bool is_own(int signal) {
  constexpr std::array kOwn{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
  return std::find(kOwn.begin(), kOwn.end(), signal) != kOwn.end();
}

Ending ending_of(int status, pid_t pid, const MemoryDeaths& deaths) {
  if (!WIFSIGNALED(status)) return {fmt::format("exit code {}", WEXITSTATUS(status))};
  const int signal = WTERMSIG(status);
  const char* abbreviated = sigabbrev_np(signal);
  const std::string name =
      abbreviated != nullptr ? fmt::format("SIG{}", abbreviated) : fmt::format("signal {}", signal);
  if (is_own(signal)) return {name};
  return {name + " from outside", true, signal == SIGKILL ? deaths.evidence(pid) : ""};
}

/// True for the last message of an answer, and for the hello.
bool is_last(const Message& message) {
  return std::holds_alternative<Hello>(message) || std::holds_alternative<Done>(message) ||
         std::holds_alternative<Failure>(message);
}

/// True if the front keeps the message: an answer that has no end would fill its memory.
bool counts(const Message& message) {
  return !std::holds_alternative<Working>(message) && !std::holds_alternative<Running>(message) &&
         !std::holds_alternative<WorkReached>(message);
}

InstrumentError endless(std::string_view what) {
  return InstrumentError(
      fmt::format("the worker's {} has no end: over {} MiB", what, kLongestLine >> 20));
}

}  // namespace

Child::Child(const std::string& program) {
  const auto [request_end, requests] = make_pipe();
  const auto [answers, answer_end] = make_pipe();
  const auto [output, output_end] = make_pipe();
  requests_ = requests;
  answers_ = answers;
  output_.emplace(output);
  const SpawnSetup setup(request_end, answer_end, output_end);
  std::string name = program;
  const std::array<char*, 2> arguments{name.data(), nullptr};
  const int error = posix_spawn(&pid_, program.c_str(), &setup.actions, &setup.attributes,
                                arguments.data(), environ);
  close(request_end);
  close(answer_end);
  close(output_end);
  if (error == 0) return;
  close(requests_);
  close(answers_);
  throw InstrumentError(fmt::format("cannot start '{}': {}", program, std::strerror(error)));
}

Child::~Child() { end(); }

bool Child::send(const Request& request) {
  answered_ = 0;
  owing_ = true;
  output_->begin(subject_of(request));
  const std::string line = to_line(request) + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = write(requests_, line.data() + sent, line.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<Silence> Child::wait(Clock::time_point deadline, const Interrupt& interrupt) {
  using std::chrono::milliseconds;
  constexpr milliseconds kLongest{1 << 30};  // poll takes an int
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return Silence::deadline;
    std::array<pollfd, 3> ends{pollfd{answers_, POLLIN, 0},
                               pollfd{interrupt.descriptor(), POLLIN, 0},
                               pollfd{output_->descriptor(), POLLIN, 0}};
    poll(ends.data(), ends.size(), static_cast<int>(std::min(left, kLongest).count()));
    if (ends[2].revents != 0) output_->hand_on();
    if (ends[1].revents != 0) return Silence::interrupted;
    if (ends[0].revents != 0) return std::nullopt;
  }
}

std::optional<Message> Child::receive(Clock::time_point deadline, const Interrupt& interrupt) {
  while (true) {
    if (const auto line = lines_.next()) {
      const Message message = parse_message(*line);
      if (counts(message)) answered_ += line->size() + 1;
      if (answered_ > kLongestLine) throw endless("answer");
      owing_ = owing_ && !is_last(message);
      return message;
    }
    if (lines_.rest().size() > kLongestLine) throw endless("line");
    if (const auto silence = wait(deadline, interrupt)) {
      silence_ = *silence;
      return std::nullopt;
    }
    std::array<char, 65536> bytes{};
    const ssize_t count = read(answers_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      owing_ = false;
      silence_ = Silence::ended;
      return std::nullopt;
    }
    lines_.append({bytes.data(), static_cast<std::size_t>(count)});
  }
}

bool Child::stays() const {
  siginfo_t ended{};
  const int error = waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
  return error == 0 && ended.si_pid == 0 && starter_ == std::this_thread::get_id();
}

Ending Child::end() {
  if (pid_ < 0) return {};
  close(requests_);  // an idle worker reads the end of its requests and leaves by itself
  int status = 0;
  const auto patience = Clock::now() + std::chrono::seconds(2);
  pid_t gone = waitpid(pid_, &status, WNOHANG);
  // A worker that hangs or writes without end is not waited for.
  while (gone == 0 && !owing_ && Clock::now() < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    output_->hand_on();
    gone = waitpid(pid_, &status, WNOHANG);
  }
  kill(-pid_, SIGKILL);  // the group: helpers that the worker started go with it
  if (gone == 0) waitpid(pid_, &status, 0);
  close(answers_);
  output_->hand_on();  // what it said at its end
  const pid_t pid = std::exchange(pid_, -1);
  // Our own signal is no news.
  return gone == 0 ? Ending{"it closed its answers and did not leave"}
                   : ending_of(status, pid, deaths_);
}

}  // namespace gradproof
