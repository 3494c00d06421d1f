// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/run_reader.h"

#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text_file.h"
#include "reports/record/fields.h"
#include "reports/runs/sealed_line.h"

namespace gradproof {
namespace {

struct Part {
  std::size_t place = 0;  ///< from 1
  std::size_t count = 0;
};

Part part_of(const Json& json) {
  const auto numbers = read_json<std::array<std::int64_t, 2>>(json.at("part"));
  if (numbers[0] < 1 || numbers[0] > numbers[1])
    throw InstrumentError(fmt::format("part {} of {}", numbers[0], numbers[1]));
  return {static_cast<std::size_t>(numbers[0]), static_cast<std::size_t>(numbers[1])};
}

/// Takes the lines of a run one after the other.
class RunLines {
 public:
  explicit RunLines(Lines lines) : lines_(lines) {}

  void take(const std::string& line) {
    require_seal(line);
    if (!begun_)
      begin(line);
    else if (file_.end)
      throw InstrumentError("a line behind the run's last");
    else if (is_end_line(line))
      end(line);
    else
      record(line);
  }

  /// What came, without a Case whose Records are not all there.
  std::optional<RunFile> finish() {
    if (!begun_) return std::nullopt;
    if (is_open())
      file_.note +=
          fmt::format("{}{} of {} records of '{}' left out, the others are not there",
                      file_.note.empty() ? "" : "; ", open_.records.size(), parts_, open_.text);
    return std::move(file_);
  }
  void tear(const std::string& place) {
    file_.note = place +
                 ": the last line is incomplete (the run was killed, or the disk was full); left "
                 "out";
  }

 private:
  bool is_open() const { return open_.records.size() < parts_; }

  void begin(const std::string& line) {
    file_.header = read_header(line);
    known_.insert(file_.header.cases.begin(), file_.header.cases.end());
    if (known_.size() != file_.header.cases.size() ||
        std::cmp_less(file_.header.plan_cases, known_.size()))
      throw InstrumentError("a case stands twice in the run, or not in its plan");
    begun_ = true;
  }

  void end(const std::string& line) {
    require_whole();
    file_.end = read_end(line);
  }

  void record(const std::string& line) {
    const Json json = parse_json(line, "no record");
    Part part;
    Record record;
    reading("no record", [&] {
      part = part_of(json);
      record = record_from(json);
    });
    if (record.measured() != file_.header.kind)
      throw InstrumentError(
          fmt::format("a record of another verb than {}", kind_name(file_.header.kind)));
    if (!known_.contains(record.case_text))
      throw InstrumentError(
          fmt::format("a record of '{}', which the run was not to judge", record.case_text));
    if (part.place == 1) {
      require_whole();
      open_ = {record.case_text, {}, ""};
      parts_ = part.count;
    }
    add(std::move(record), part, line);
  }

  void add(Record record, const Part& part, const std::string& line) {
    if (!is_open() || part.place != open_.records.size() + 1 || part.count != parts_ ||
        record.case_text != open_.text)
      throw InstrumentError(fmt::format("part {} of {} of '{}' does not follow the line before it",
                                        part.place, part.count, record.case_text));
    open_.records.push_back(std::move(record));
    open_.lines += line + "\n";
    if (is_open()) return;
    if (lines_ == Lines::named) open_.lines = content_id(open_.lines);
    file_.done.push_back(std::exchange(open_, {}));
    parts_ = 0;
  }

  void require_whole() const {
    if (is_open())
      throw InstrumentError(fmt::format("part {} of {} of '{}' is missing in front of it",
                                        open_.records.size() + 1, parts_, open_.text));
  }

  const Lines lines_;
  RunFile file_;
  std::set<std::string> known_;
  CaseRecords open_;  ///< the Case that is being read
  std::size_t parts_ = 0;
  bool begun_ = false;
};

/// Takes the lines of the file as long as `more` says so.
template <class More>
std::optional<RunFile> read_lines(const std::string& path, Lines held, More more) {
  TextFile file(path);
  RunLines lines(held);
  while (more(file.number())) {
    const auto line = file.next();
    if (!line) break;
    if (file.torn()) {
      lines.tear(fmt::format("{}:{}", path, file.number()));
      break;
    }
    try {
      lines.take(*line);
    } catch (const InstrumentError& error) {
      throw InstrumentError(fmt::format("{}:{}: {}", path, file.number(), error.what()));
    }
  }
  return lines.finish();
}

}  // namespace

std::optional<RunFile> read_run(const std::string& path, Lines lines) {
  return read_lines(path, lines, [](std::int64_t) { return true; });
}

std::optional<RunHeader> read_run_header(const std::string& path) {
  auto file = read_lines(path, Lines::named, [](std::int64_t read) { return read < 1; });
  if (!file) return std::nullopt;
  return std::move(file->header);
}

}  // namespace gradproof
