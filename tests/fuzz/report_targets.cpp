// SPDX-License-Identifier: Apache-2.0
// The readers of files that the front wrote, and that time, editors and merges may have changed.
#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/baseline/baseline_file.h"
#include "reports/record/record_json.h"
#include "reports/runs/plan.h"
#include "reports/runs/run_reader.h"
#include "reports/runs/run_writer.h"
#include "reports/runs/sealed_line.h"
#include "tests/fuzz/kept.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/targets.h"

namespace gradproof {
namespace {

/// No text that a fuzzer makes has right checksums: each line with its own besides.
std::string sealed_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines += sealed(text.substr(0, end));
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string run_text(const std::optional<RunFile>& run) {
  if (!run) return "";
  std::string text = header_line(run->header) + "\n";
  for (const CaseRecords& one : run->done) text += case_lines(one.records);
  return run->end ? text + end_line(*run->end) + "\n" : text;
}

/// 64-bit FNV-1a, as docs/reports.md has it.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace

void fuzz_record(std::string_view text) { require_kept(text, read_record, record_line); }

void fuzz_run(std::string_view text) {
  const auto read = [](const std::string& lines) { return read_run(MemoryFile(lines).path()); };
  require_inverse<InstrumentError>(text, read, run_text);
  require_inverse<InstrumentError>(sealed_lines(text), read, run_text);
}

void fuzz_plan(std::string_view text) {
  const auto read = [](const std::string& lines) { return read_plan(MemoryFile(lines).path()); };
  require_inverse<InstrumentError>(text, read, plan_lines);
  require_inverse<InstrumentError>(sealed_lines(text), read, plan_lines);
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
