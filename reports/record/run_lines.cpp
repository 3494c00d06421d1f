// SPDX-License-Identifier: Apache-2.0
#include "reports/record/run_lines.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text_file.h"
#include "reports/record/json.h"

namespace gradproof {
namespace {

/// How the lines on a run start; no record does.
constexpr std::string_view kRunLine = R"({"run":)";
constexpr const char* kBegins = "begins";
constexpr const char* kEnds = "ends";

/// Bytes up to the last line feed and with it, found from the end.
std::uintmax_t whole_lines(std::ifstream& file, std::uintmax_t size) {
  constexpr std::uintmax_t kPiece = 65536;
  for (std::uintmax_t end = size; end > 0;) {
    const std::uintmax_t begin = end - std::min(end, kPiece);
    std::string piece(end - begin, '\0');
    file.seekg(static_cast<std::streamoff>(begin));
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    if (const std::size_t feed = piece.rfind('\n'); feed != std::string::npos)
      return begin + feed + 1;
    end = begin;
  }
  return 0;
}

void cut_torn_line(const std::string& path) {
  if (!std::filesystem::exists(path)) return;
  if (!std::filesystem::is_regular_file(path))
    throw UsageError(fmt::format("cannot write '{}': it is no regular file", path));
  std::ifstream file(path, std::ios::binary);
  const std::uintmax_t size = std::filesystem::file_size(path);
  if (const std::uintmax_t whole = whole_lines(file, size); file && whole < size)
    std::filesystem::resize_file(path, whole);
}

/// Which Cases were to be judged and which of them have been, line by line.
class RunCases {
 public:
  void begin(Measured measured, const std::vector<std::string>& cases) {
    cut_off();
    for (const std::string& text : cases) {
      note({measured, text});
      missing_.insert({measured, text});
    }
  }
  void line(const RunCase& c) {
    note(c);
    missing_.erase(c);
    last_ = c;
  }
  void end() { last_.reset(); }

  std::string incomplete() {
    cut_off();
    if (missing_.empty()) return "";
    const auto first = std::find_if(cases_.begin(), cases_.end(),
                                    [&](const RunCase& c) { return missing_.contains(c); });
    return fmt::format("{} of {} cases were not run to their end; the first is '{}'",
                       missing_.size(), cases_.size(), first->text);
  }

 private:
  void note(const RunCase& c) {
    if (known_.insert(c).second) cases_.push_back(c);
  }
  /// A run that did not say its end may have been in the middle of its last Case.
  void cut_off() {
    if (last_) missing_.insert(*last_);
    last_.reset();
  }

  std::vector<RunCase> cases_;  ///< in order of appearance
  std::set<RunCase> known_;
  std::set<RunCase> missing_;
  std::optional<RunCase> last_;  ///< of the last line
};

void read_run_line(const std::string& line, RunCases& cases) {
  const std::string what = "no line on a run";
  const Json json = parse_json(line, what);
  reading(what, [&] {
    const auto word = json.at("run").get<std::string>();
    if (word == kBegins)
      cases.begin(parse_measured(json.value("measured", name_of(Measured::comparison))),
                  json.at("cases").get<std::vector<std::string>>());
    else if (word == kEnds)
      cases.end();
    else
      throw InstrumentError(fmt::format("a run that '{}'; known: {} {}", word, kBegins, kEnds));
  });
}

}  // namespace

RunWriter::RunWriter(const std::string& path, Measured measured,
                     const std::vector<std::string>& cases)
    : path_(path) {
  const std::string directory = std::filesystem::path(path).parent_path();
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed)
    throw UsageError(fmt::format("cannot make directory '{}': {}", directory, failed.message()));
  cut_torn_line(path_);
  file_.open(path_, std::ios::app | std::ios::binary);
  if (!file_) throw UsageError(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
  append(dump(Json{{"run", kBegins}, {"measured", name_of(measured)}, {"cases", cases}}));
}

void RunWriter::append(const std::string& line) {
  errno = 0;
  file_ << line << '\n' << std::flush;
  if (!file_)
    throw InstrumentError(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
}

void RunWriter::end() {
  if (file_) append(dump(Json{{"run", kEnds}}));
}

StoredRuns read_runs(const std::string& path,
                     const std::function<RunCase(const std::string&)>& read) {
  TextFile file(path);
  RunCases cases;
  while (const auto line = file.next()) {
    if (file.torn())
      return {fmt::format("{}:{}: the last line is incomplete (a run was killed); left out", path,
                          file.number()),
              cases.incomplete()};
    try {
      line->starts_with(kRunLine) ? read_run_line(*line, cases) : cases.line(read(*line));
    } catch (const InstrumentError& error) {
      throw InstrumentError(fmt::format("{}:{}: {}", path, file.number(), error.what()));
    }
  }
  return {"", cases.incomplete()};
}

}  // namespace gradproof
