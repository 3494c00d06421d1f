// SPDX-License-Identifier: Apache-2.0
#include "reports/store.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/record_json.h"

namespace gradproof {
namespace {

constexpr const char* kRecords = "records.jsonl";

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void cut_torn_line(const std::string& path) {
  if (!std::filesystem::exists(path)) return;
  const std::string text = read_all(path);
  const std::size_t end = text.rfind('\n');
  std::filesystem::resize_file(path, end == std::string::npos ? 0 : end + 1);
}

}  // namespace

LineWriter::LineWriter(const std::string& directory, const std::string& name)
    : path_(directory + "/" + name) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed)
    throw UsageError(fmt::format("cannot make directory '{}': {}", directory, failed.message()));
  cut_torn_line(path_);
  file_.open(path_, std::ios::app | std::ios::binary);
  if (!file_) throw UsageError(fmt::format("cannot write '{}': {}", path_, std::strerror(errno)));
}

void LineWriter::append(const std::string& line) {
  file_ << line << '\n' << std::flush;
  if (!file_) throw InstrumentError(fmt::format("cannot write '{}'", path_));
}

std::string read_lines(const std::string& path,
                       const std::function<void(const std::string&)>& read) {
  std::istringstream text(read_all(path));
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (text.eof())
      return fmt::format("{}:{}: the last line is incomplete (a run was killed); left out", path,
                         number);
    try {
      read(line);
    } catch (const InstrumentError& error) {
      throw InstrumentError(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  return "";
}

RecordWriter::RecordWriter(const std::string& directory) : lines_(directory, kRecords) {}

void RecordWriter::append(const Record& record) { lines_.append(record_line(record)); }

std::vector<Record> latest_runs(const std::vector<Record>& records) {
  std::vector<std::vector<Record>> runs;
  std::map<std::string, std::size_t> latest;  // of each Case: its place in runs
  std::set<std::string> tensors;
  for (const Record& r : records) {
    const bool same = !runs.empty() && runs.back().front().case_text == r.case_text;
    if (!same || !tensors.insert(r.tensor).second) {
      runs.emplace_back();
      tensors = {r.tensor};
      latest[r.case_text] = runs.size() - 1;
    }
    runs.back().push_back(r);
  }
  std::vector<Record> kept;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (latest.at(runs[i].front().case_text) == i)
      kept.insert(kept.end(), runs[i].begin(), runs[i].end());
  return kept;
}

bool has_records(const std::string& directory) {
  return std::filesystem::exists(directory + "/" + kRecords);
}

StoredRecords read_records(const std::string& directory) {
  StoredRecords stored;
  stored.note = read_lines(directory + "/" + kRecords, [&](const std::string& line) {
    stored.records.push_back(read_record(line));
  });
  const std::size_t all = stored.records.size();
  stored.records = latest_runs(stored.records);
  if (const std::size_t old = all - stored.records.size(); old > 0)
    stored.note += fmt::format("{}{} records of earlier runs of the same cases left out",
                               stored.note.empty() ? "" : "; ", old);
  return stored;
}

}  // namespace gradproof
