// SPDX-License-Identifier: Apache-2.0
#include "cli/protocol/channel.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cli/protocol/peak_memory.h"
#include "core/error.h"

namespace gradproof {

WorkerChannel::WorkerChannel(int requests, int answers) : requests_(requests), answers_(answers) {
  // A front that was killed must not leave a worker behind that computes for nobody.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // If memory runs out, the loss of a worker costs one Case, that of the front the run.
  std::ofstream("/proc/self/oom_score_adj") << 500;
  // A front that has gone is an error to report, and must not end the worker without a word.
  signal(SIGPIPE, SIG_IGN);
}

bool WorkerChannel::connected() {
  return fcntl(kRequestDescriptor, F_GETFD) != -1 && fcntl(kAnswerDescriptor, F_GETFD) != -1;
}

void WorkerChannel::send_hello(const Context& context, const std::vector<SchemaPtr>& schemas,
                               const std::vector<Fact>& facts) {
  Hello hello{kProtocol, context, {}, facts};
  for (const SchemaPtr& schema : schemas) hello.schemas.push_back(*schema);
  send(hello);
}

std::optional<Request> WorkerChannel::receive() {
  while (true) {
    if (const auto line = lines_.next()) return parse_request(*line);
    std::array<char, 4096> bytes{};
    const ssize_t count = read(requests_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw InstrumentError(fmt::format("no front: {}", std::strerror(errno)));
    if (count == 0) return std::nullopt;
    lines_.append({bytes.data(), static_cast<std::size_t>(count)});
  }
}

void WorkerChannel::progress(const std::string& what, std::int64_t done, std::int64_t of) {
  constexpr std::chrono::milliseconds kOften{200};
  {
    const std::lock_guard lock(sending_);
    const auto now = std::chrono::steady_clock::now();
    if (now - reached_ < kOften) return;
    reached_ = now;
  }
  send(WorkReached{what, done, of});
}

void WorkerChannel::done(int code) { send(Done{peak_memory(), code}); }

void WorkerChannel::send(const Message& message) {
  const std::string line = to_line(message) + "\n";
  const std::lock_guard lock(sending_);
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = write(answers_, line.data() + sent, line.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw InstrumentError(fmt::format("no front: {}", std::strerror(errno)));
    sent += static_cast<std::size_t>(count);
  }
}

}  // namespace gradproof
