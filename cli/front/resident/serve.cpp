// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "cli/front/options.h"
#include "cli/front/resident/command_lines.h"
#include "cli/front/verbs.h"
#include "cli/process/paths.h"
#include "cli/process/shared_folder.h"
#include "cli/process/workers.h"
#include "core/error.h"
#include "core/line_splitter.h"
#include "reports/record/json.h"

namespace gradproof {
namespace {

/// The protocol's number, which grows with any change that an older package would misread.
constexpr int kServed = 3;

/// Answers one line after the other, with workers that stay from one to the next.
class Resident {
 public:
  explicit Resident(const Options& options)
      : answers_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)),
        workers_(interrupt_),
        command_lines_(options.command.front(), workers_,
                       options.workers > 0 ? options.workers : resident_workers()) {
    for (const std::string& place : places_of_shared_folders()) folders_.emplace_back(place);
    reader_ = std::jthread([this] { watch_reader(); });
  }
  ~Resident() {
    interrupt_.raise();  // for the thread that watches
    reader_.join();
    close(answers_);
  }
  Resident(const Resident&) = delete;
  Resident& operator=(const Resident&) = delete;

  int run() {
    start_worker();
    say_hello();
    while (const auto line = next_line()) {
      if (!command_lines_.begins(*line)) send(command_lines_.answer(*line));
      if (interrupt_.raised()) return kExitInterrupted;
      start_worker();
    }
    return interrupt_.raised() ? kExitInterrupted : 0;
  }

 private:
  /// Most requests need one, and it takes longest to start: before they come.
  void start_worker() {
    try {
      workers_.of(worker_program(""), Options().deadline);
    } catch (const InstrumentError&) {
      return;  // the request that needs it says why
    }
  }

  void say_hello() {
    Json folders = Json::array();
    for (const SharedFolder& folder : folders_) folders.push_back(folder.path());
    send({{"serve", kServed}, {"version", GRADPROOF_VERSION}, {"folders", folders}});
  }

  /// The next line; nothing once there will be none.
  std::optional<std::string> next_line() {
    while (true) {
      if (auto line = lines_.next()) return line;
      if (lines_.rest().size() > kLongestLine) throw UsageError("a request has no end");
      std::array<pollfd, 2> ends{pollfd{STDIN_FILENO, POLLIN, 0},
                                 pollfd{interrupt_.descriptor(), POLLIN, 0}};
      poll(ends.data(), ends.size(), -1);
      if (ends[1].revents != 0) return std::nullopt;
      std::array<char, 65536> bytes{};
      const ssize_t count = read(STDIN_FILENO, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return std::nullopt;
      lines_.append({bytes.data(), static_cast<std::size_t>(count)});
    }
  }

  void send(const Json& answer) const {
    const std::string line = dump(answer) + "\n";
    for (std::size_t sent = 0; sent < line.size();) {
      const ssize_t count = write(answers_, line.data() + sent, line.size() - sent);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw std::system_error(errno, std::generic_category(), "no reader");
      sent += static_cast<std::size_t>(count);
    }
  }

  /// A reader that was killed reads no answer: what is under way ends, and this program with it.
  void watch_reader() {
    std::array<pollfd, 2> ends{pollfd{answers_, 0, 0}, pollfd{interrupt_.descriptor(), POLLIN, 0}};
    poll(ends.data(), ends.size(), -1);
    interrupt_.raise();
  }

  const int answers_;
  Interrupt interrupt_;
  Workers workers_;
  CommandLines command_lines_;
  std::deque<SharedFolder> folders_;
  LineSplitter lines_;
  std::jthread reader_;
};

}  // namespace

int run_serve(const Options& options) { return Resident(options).run(); }

}  // namespace gradproof
