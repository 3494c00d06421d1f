// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "reports/runs/found_cell.h"
#include "reports/runs/run_header.h"

namespace gradproof {

/// The Records of one Case as lines of a run's file, each sealed and with `part`, its place among
/// them.
std::string case_lines(const std::vector<Record>& records);

/// Writes the file of one run, FOLDER/ID.jsonl: its header, the Records of each Case with one
/// write, its end. What was written is there however the program ends; a machine that stops loses
/// what the last second wrote at most. Safe to use from several threads.
class RunWriter {
 public:
  /// Creates the folder and a file of a new name, so that two runs into one folder make two files
  /// and need no lock. The header's id and start are set. Throws UsageError where folder or file
  /// cannot be made, InstrumentError where the header cannot be written; then there is no file.
  RunWriter(std::string folder, RunHeader header);
  /// A run whose end nobody wrote failed.
  ~RunWriter();
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  const RunHeader& header() const { return header_; }
  const std::string& path() const { return path_; }

  /// Appends all Records of a Case. Throws InstrumentError with the reason if they cannot be
  /// written; the file then has the Cases before it and nothing of this one.
  void append(const std::vector<Record>& records);
  /// Appends the findings of a cell. Throws as above.
  void append(const FoundCell& cell);
  /// Appends the last line, which gets its time, once. Throws as append() does.
  void end(RunEnd end);

 private:
  using Clock = std::chrono::steady_clock;

  void create();
  void append_lines(const std::string& lines);
  void write_lines(const std::string& lines);
  void sync();

  const std::string folder_;
  RunHeader header_;
  std::string path_;
  std::mutex mutex_;
  int descriptor_ = -1;
  std::int64_t whole_ = 0;  ///< bytes of whole Cases
  bool failed_ = false;
  bool ended_ = false;
  Clock::time_point started_ = Clock::now();
  Clock::time_point synced_ = started_;
};

}  // namespace gradproof
