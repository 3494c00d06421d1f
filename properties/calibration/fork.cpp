// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/fork.h"

#include <array>
#include <chrono>
#include <csignal>
#include <exception>
#include <optional>

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "oracles/libtorch/autograd.h"

namespace gradproof {
namespace {

// This is the first letter of a child's text; a child without one ended by somebody else's exit.
constexpr char kSaid = 'S';
constexpr char kThrew = 'T';

std::string message_of(const std::function<std::string()>& work) {
  try {
    return kSaid + work();
  } catch (const std::exception& error) {
    return kThrew + std::string(error.what());
  } catch (...) {
    return kThrew + std::string("an exception without a text");
  }
}

[[noreturn]] void be_child(int out, const std::function<std::string()>& work) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const std::string text = message_of(work);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(out, text.data() + done, text.size() - done);
    if (written <= 0) _exit(1);
    done += static_cast<std::size_t>(written);
  }
  _exit(0);
}

/// The text that comes until the child closes its end; nothing if that took too long.
std::optional<std::string> read_all(int in, double seconds) {
  std::string text;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (std::array<char, 4096> bytes;;) {
    const std::chrono::duration<double, std::milli> left = end - std::chrono::steady_clock::now();
    pollfd waiting{in, POLLIN, 0};
    if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count()) + 1) == 0)
      return std::nullopt;
    const ssize_t count = read(in, bytes.data(), bytes.size());
    if (count < 0) return std::nullopt;
    if (count == 0) return text;
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

ProcessResult in_own_process(const std::function<std::string()>& work, double seconds) {
  has_libtorch();  // it is loaded here, once, and not by each child
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw InstrumentError("no pipe to a process");
  const pid_t child = fork();
  if (child < 0) throw InstrumentError("no process could be started");
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], work);
  }
  close(ends[1]);
  const std::optional<std::string> text = read_all(ends[0], seconds);
  if (!text) kill(child, SIGKILL);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!text || text->empty() || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return {};
  if (text->front() != kSaid && text->front() != kThrew) return {};
  return {text->front() == kSaid ? ProcessResult::End::said : ProcessResult::End::threw,
          text->substr(1)};
}

}  // namespace gradproof
