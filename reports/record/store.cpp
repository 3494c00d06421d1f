// SPDX-License-Identifier: Apache-2.0
#include "reports/record/store.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/audit_page.h"
#include "reports/audit_svg.h"
#include "reports/record/record_json.h"

namespace gradproof {
namespace {

std::string records_in(const std::string& directory) { return directory + "/records.jsonl"; }

RunCase run_case_of(const Record& record) { return {record.measured(), record.case_text}; }

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file)
    throw InstrumentError(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
}

/// What is not read must not be passed over in silence.
void refuse_earlier_audits(const std::string& directory) {
  const std::string rows = directory + "/audit.jsonl";
  if (std::filesystem::exists(rows))
    throw InstrumentError(
        fmt::format("{}: audits of an earlier version; this one keeps them in records.jsonl: audit "
                    "again, into another directory",
                    rows));
}

}  // namespace

RecordWriter::RecordWriter(const std::string& directory, Measured measured,
                           const std::vector<std::string>& cases)
    : directory_(directory), measured_(measured), lines_(records_in(directory), measured, cases) {
  refuse_earlier_audits(directory);
}

void RecordWriter::append(const Record& record) {
  lines_.append(record_line(record));
  if (record.measured() == Measured::comparison) return;
  if (const std::string picture = audit_svg(record); !picture.empty())
    write_file(directory_ + "/" + svg_name(record), picture);
}

void RecordWriter::end() {
  lines_.end();
  if (measured_ == Measured::differences)
    write_file(directory_ + "/audit.md", audit_page(only(read_records(directory_), measured_)));
}

StoredRecords read_records(const std::string& directory) {
  refuse_earlier_audits(directory);
  std::vector<Record> all;
  const StoredRuns runs = read_runs(records_in(directory), [&](const std::string& line) {
    all.push_back(read_record(line));
    return run_case_of(all.back());
  });
  StoredRecords stored{latest_of_each_case(all), runs.note, runs.incomplete};
  if (const std::size_t old = all.size() - stored.records.size(); old > 0)
    stored.note += fmt::format("{}{} records of earlier runs of the same cases left out",
                               stored.note.empty() ? "" : "; ", old);
  return stored;
}

StoredRecords only(const StoredRecords& stored, Measured measured) {
  StoredRecords part{{}, stored.note, stored.incomplete};
  std::copy_if(stored.records.begin(), stored.records.end(), std::back_inserter(part.records),
               [&](const Record& record) { return record.measured() == measured; });
  return part;
}

std::vector<Record> latest_of_each_case(const std::vector<Record>& records) {
  std::vector<std::vector<Record>> runs;
  std::map<RunCase, std::size_t> latest;  // of each Case: its place in runs
  std::set<std::string> tensors;
  for (const Record& record : records) {
    const RunCase c = run_case_of(record);
    const bool same = !runs.empty() && run_case_of(runs.back().front()) == c;
    if (!same || !tensors.insert(record.tensor).second) {
      runs.emplace_back();
      tensors = {record.tensor};
      latest[c] = runs.size() - 1;
    }
    runs.back().push_back(record);
  }
  std::vector<Record> kept;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (latest.at(run_case_of(runs[i].front())) == i)
      kept.insert(kept.end(), runs[i].begin(), runs[i].end());
  return kept;
}

Tally tally(const StoredRecords& stored) {
  Tally t = tally(stored.records);
  if (!stored.incomplete.empty()) t.add_gap(stored.incomplete);
  return t;
}

}  // namespace gradproof
