// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include "cli/front/options.h"
#include "cli/front/terminal/captured.h"
#include "cli/front/terminal/exit_code.h"
#include "cli/front/verbs.h"
#include "cli/process/paths.h"
#include "cli/process/shared_folder.h"
#include "cli/process/workers.h"
#include "core/cores.h"
#include "core/error.h"
#include "core/line_splitter.h"
#include "reports/causes/cause_block.h"
#include "reports/causes/cause_text.h"
#include "reports/record/json.h"
#include "reports/text/case_table.h"

namespace gradproof {
namespace {

/// It grows with any change that an older package would misread.
constexpr int kServed = 2;

/// Columns of a conviction's lines: a test runner has eight of 100 for itself.
constexpr std::size_t kConvictionWidth = 92;
/// Tensors in a conviction's table.
constexpr std::size_t kShownTensors = 4;

/// The Python package prints these sentences, which a terminal has too (docs/python.md): of each
/// cause, the most severe kernel first, its Case, what is wrong, a table and the details.
Json causes_json(const std::vector<Record>& records) {
  Json causes = Json::array();
  for (const Cause& cause : causes_of(records)) {
    std::vector<const Record*> shown = cause.cases.front().wrong;
    shown.resize(std::min(shown.size(), kShownTensors));
    causes.push_back({{"case", cause.first().case_text},
                      {"what", what_text(cause)},
                      {"table", tensor_table(shown, kConvictionWidth)},
                      {"details", cause_details(cause, "", kConvictionWidth) +
                                      cause_bound(cause, kConvictionWidth)}});
  }
  return causes;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  try {
    reading("request", [&] { words = parse_json(line, "request").at("words"); });
  } catch (const InstrumentError& error) {
    throw UsageError(error.what());
  }
  return words;
}

/// Sets of a function's numbers are judged side by side, each with a worker of its own: more than
/// this many have little to do, and each takes the memory of a process.
constexpr int kMostResident = 4;

/// Answers one line after the other, with workers that stay from one to the next.
class Resident {
 public:
  explicit Resident(const Options& options)
      : program_(options.command.front()),
        count_(options.workers > 0 ? options.workers : std::min(cores(), kMostResident)),
        answers_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)),
        workers_(interrupt_) {
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
      send(answer_to(*line));
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

  /// Nothing once there will be none.
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

  Json answer_to(const std::string& line) {
    Captured output(stdout);
    Captured errors(stderr);
    CheckOutcome judged;
    judged.code = exit_code_of([&] {
      judged = answered(words_of(line));
      return judged.code;
    });
    Json records = Json::array();
    for (const Record& record : judged.records) records.push_back(to_json(record));
    return {{"code", judged.code},
            {"output", output.text()},
            {"errors", errors.text()},
            {"records", records},
            {"causes", causes_json(judged.records)}};
  }

  CheckOutcome answered(const std::vector<std::string>& words) {
    std::vector<const char*> arguments{program_.c_str()};
    for (const std::string& word : words) arguments.push_back(word.c_str());
    Options options = parse_options(static_cast<int>(arguments.size()), arguments.data());
    if (options.verb == "inputs") return {run_inputs(options), {}};
    if (options.verb == "python") return {run_python(options), {}};
    if (options.verb == "judge") {
      options.workers = count_;
      return judged_cases(check_of_given(options), workers_, static_cast<std::size_t>(count_));
    }
    if (options.verb != "check" || !options.python.empty() || !options.library.empty())
      throw UsageError(
          fmt::format("serve answers judge, check of Cases, inputs and python; '{}' "
                      "is a command of its own",
                      fmt::join(words, " ")));
    return judged_cases(options, workers_);
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

  /// Who was killed reads no answer: what is under way ends, and this program with it.
  void watch_reader() {
    std::array<pollfd, 2> ends{pollfd{answers_, 0, 0}, pollfd{interrupt_.descriptor(), POLLIN, 0}};
    poll(ends.data(), ends.size(), -1);
    interrupt_.raise();
  }

  const std::string program_;
  const int count_;  ///< workers that stay, for the sets of one function
  const int answers_;
  Interrupt interrupt_;
  Workers workers_;
  std::deque<SharedFolder> folders_;
  LineSplitter lines_;
  std::jthread reader_;
};

}  // namespace

int run_serve(const Options& options) { return Resident(options).run(); }

}  // namespace gradproof
