// SPDX-License-Identifier: Apache-2.0
#include "reports/record/store.h"

#include <filesystem>

#include <fmt/format.h>

#include "reports/record/record_json.h"

namespace gradproof {
namespace {

constexpr const char* kRecords = "records.jsonl";

}  // namespace

RecordWriter::RecordWriter(const std::string& directory, const std::vector<std::string>& cases)
    : lines_(directory, kRecords, cases) {}

void RecordWriter::append(const Record& record) { lines_.append(record_line(record)); }

bool has_records(const std::string& directory) {
  return std::filesystem::exists(directory + "/" + kRecords);
}

StoredRecords read_records(const std::string& directory) {
  std::vector<Record> all;
  const StoredRuns runs = read_runs(directory + "/" + kRecords, [&](const std::string& line) {
    all.push_back(read_record(line));
    return all.back().case_text;
  });
  StoredRecords stored;
  stored.records = latest_of_each_case(
      all, [](const Record& r) { return r.case_text; }, [](const Record& r) { return r.tensor; });
  stored.note = runs.note;
  stored.incomplete = runs.incomplete;
  if (const std::size_t old = all.size() - stored.records.size(); old > 0)
    stored.note += fmt::format("{}{} records of earlier runs of the same cases left out",
                               stored.note.empty() ? "" : "; ", old);
  return stored;
}

Tally tally(const StoredRecords& stored) {
  Tally t = tally(stored.records);
  if (!stored.incomplete.empty()) t.add_gap(stored.incomplete);
  return t;
}

}  // namespace gradproof
