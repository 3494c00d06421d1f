// SPDX-License-Identifier: Apache-2.0
// The readers of files that the front wrote, and that time, editors and merges may have changed.
#include <cstdint>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/baseline_file.h"
#include "reports/record/record_json.h"
#include "reports/record/store.h"
#include "tests/fuzz/kept.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/targets.h"

namespace gradproof {
namespace {

/// As read_records() reads the file of a directory.
std::vector<Record> records_in(const std::string& lines) {
  const MemoryFile file(lines);
  std::vector<Record> all;
  read_runs(file.path(), [&](const std::string& line) -> RunCase {
    all.push_back(read_record(line));
    return {all.back().measured(), all.back().case_text};
  });
  return latest_of_each_case(all);
}

std::string text_of(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) text += record_line(record) + "\n";
  return text;
}

/// 64-bit FNV-1a, as docs/reports.md has it.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace

void fuzz_record(std::string_view text) { require_kept(text, read_record, record_line); }

void fuzz_record_file(std::string_view text) {
  require_inverse<InstrumentError>(text, records_in,
                                   [](const auto& records) { return text_of(records); });
}

/// No text that a fuzzer makes has the right checksum, so each is read with it besides.
void fuzz_baseline(std::string_view text) {
  const auto read = [](const std::string& lines) { return parse_baseline(lines, "file"); };
  require_inverse<UsageError>(text, read, to_text);
  std::string sealed(text);
  if (!sealed.ends_with('\n')) sealed += '\n';
  sealed += fmt::format("checksum {:016x}\n", checksum(sealed));
  const auto baseline = unless_refused<UsageError>([&] { return read(sealed); });
  if (!baseline) return;
  require(read(to_text(*baseline)) == *baseline, "the text of a baseline is another baseline");
}

}  // namespace gradproof
