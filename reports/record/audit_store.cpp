// SPDX-License-Identifier: Apache-2.0
#include "reports/record/audit_store.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/audit_svg.h"
#include "reports/record/audit_summary.h"

namespace gradproof {
namespace {

constexpr const char* kRows = "audit.jsonl";

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file)
    throw InstrumentError(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
}

}  // namespace

AuditWriter::AuditWriter(const std::string& directory, const std::vector<std::string>& cases)
    : directory_(directory), lines_(directory, kRows, cases) {}

void AuditWriter::append(const AuditRecord& record) {
  lines_.append(audit_line(record));
  if (const std::string picture = audit_svg(record); !picture.empty())
    write_file(directory_ + "/" + svg_name(record), picture);
}

void AuditWriter::end() {
  lines_.end();
  write_file(directory_ + "/audit.md", audit_page(read_audits(directory_)));
}

std::string audit_page(const StoredAudit& stored) {
  std::string text = audit_markdown(stored.records);
  if (!stored.incomplete.empty()) text += fmt::format("\n**incomplete**: {}\n", stored.incomplete);
  if (!stored.note.empty()) text += fmt::format("\nnote: {}\n", stored.note);
  return text;
}

bool has_audit(const std::string& directory) {
  return std::filesystem::exists(directory + "/" + kRows);
}

StoredAudit read_audits(const std::string& directory) {
  std::vector<AuditRecord> all;
  const StoredRuns runs = read_runs(directory + "/" + kRows, [&](const std::string& line) {
    all.push_back(read_audit_record(line));
    return all.back().case_text;
  });
  return {latest_of_each_case(
              all, [](const AuditRecord& r) { return r.case_text; },
              [](const AuditRecord& r) { return r.row.tensor; }),
          runs.note, runs.incomplete};
}

}  // namespace gradproof
