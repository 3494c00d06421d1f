// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/run_reader.h"

#include <array>
#include <exception>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/parallel.h"
#include "core/text_file.h"
#include "reports/record/fields.h"
#include "reports/runs/found_cell.h"
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

/// A Record and its place among those of its Case.
struct PlacedRecord {
  Part part;
  Record record;
};

/// A line of the file: with its Record, where it is one of a run of Records, or why it is none.
struct ReadLine {
  std::string text;
  std::int64_t number = 0;
  std::optional<PlacedRecord> record = {};
  std::exception_ptr fault = nullptr;
};

PlacedRecord record_of(const std::string& line) {
  const Json json = parse_json(line, "no record");
  PlacedRecord placed;
  reading("no record", [&] {
    placed.part = part_of(json);
    placed.record = record_from(json);
  });
  return placed;
}

/// Reads what does not depend on earlier lines, which takes nearly all of the reading time.
void read_alone(ReadLine& line, bool has_records) {
  try {
    require_seal(line.text);
    const bool is_record = has_records && !is_end_line(line.text) && !is_header_line(line.text);
    if (is_record) line.record = record_of(line.text);
  } catch (const InstrumentError&) {
    line.fault = std::current_exception();
  }
}

/// Takes the lines of a run one after the other.
class RunLines {
 public:
  explicit RunLines(Lines lines) : lines_(lines) {}

  /// True if the file has Records; that is known once the first line was taken.
  bool has_records() const { return begun_ && file_.header.kind.has_records(); }

  void take(ReadLine line) {
    if (line.fault) std::rethrow_exception(line.fault);
    if (!begun_)
      begin(line.text);
    else if (file_.end)
      throw InstrumentError("a line behind the run's last");
    else if (is_end_line(line.text))
      end(line.text);
    else if (line.record)
      record(std::move(*line.record), line.text);
    else if (has_records())
      throw InstrumentError("no record");
    else
      cell(line.text);
  }

  /// The content of the file, without a Case whose Records are not all there.
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

  void cell(const std::string& line) {
    const FoundCell read = read_cell(line);
    if (!known_.contains(read.cell))
      throw InstrumentError(
          fmt::format("the cell '{}', which the run was not to judge", read.cell));
    const std::string whole = line + "\n";
    file_.done.push_back(
        {read.cell, {}, lines_ == Lines::named ? content_id(whole) : whole, read.found});
  }

  void record(PlacedRecord placed, const std::string& line) {
    auto& [part, record] = placed;
    if (RunKind(record.measured()) != file_.header.kind)
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

/// The number of lines that are read at once, on all threads.
constexpr std::size_t kAtOnce = 2048;

/// Some lines of the file in a row.
struct Batch {
  std::vector<ReadLine> lines;
  bool ended = false;  ///< there are no more
  bool torn = false;   ///< the one behind them has no line feed
};

Batch next_lines(TextFile& file, std::size_t most) {
  Batch batch;
  while (batch.lines.size() < most && !batch.ended) {
    auto line = file.next();
    batch.torn = line && file.torn();
    batch.ended = !line || batch.torn;
    if (!batch.ended) batch.lines.push_back({std::move(*line), file.number()});
  }
  return batch;
}

void take_all(RunLines& run, std::vector<ReadLine> lines, const std::string& path) {
  for_each_index(std::ssize(lines), [&](std::int64_t i) {
    read_alone(lines[static_cast<std::size_t>(i)], run.has_records());
  });
  for (ReadLine& line : lines) {
    const std::int64_t number = line.number;
    try {
      run.take(std::move(line));
    } catch (const InstrumentError& error) {
      throw InstrumentError(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
}

/// Reads the first line of the file, or all.
std::optional<RunFile> read_lines(const std::string& path, Lines held, bool first_alone) {
  TextFile file(path);
  RunLines run(held);
  for (std::size_t most = 1; most == 1 || !first_alone; most = kAtOnce) {
    Batch batch = next_lines(file, most);
    take_all(run, std::move(batch.lines), path);
    if (batch.torn) run.tear(fmt::format("{}:{}", path, file.number()));
    if (batch.ended) break;
  }
  return run.finish();
}

}  // namespace

std::optional<RunFile> read_run(const std::string& path, Lines lines) {
  return read_lines(path, lines, false);
}

std::optional<RunHeader> read_run_header(const std::string& path) {
  auto file = read_lines(path, Lines::named, true);
  if (!file) return std::nullopt;
  return std::move(file->header);
}

}  // namespace gradproof
