// SPDX-License-Identifier: Apache-2.0
#include "reports/audit_store.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/audit_summary.h"
#include "reports/audit_svg.h"

namespace gradproof {
namespace {

constexpr const char* kRows = "audit.jsonl";

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw UsageError(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
}

}  // namespace

AuditWriter::AuditWriter(const std::string& directory)
    : directory_(directory), lines_(directory, kRows) {}

void AuditWriter::append(const AuditRecord& record) {
  lines_.append(audit_line(record));
  if (const std::string picture = audit_svg(record); !picture.empty())
    write_file(directory_ + "/" + svg_name(record), picture);
}

void AuditWriter::finish() const {
  write_file(directory_ + "/audit.md", audit_markdown(read_audits(directory_).records));
}

bool has_audit(const std::string& directory) {
  return std::filesystem::exists(directory + "/" + kRows);
}

StoredAudit read_audits(const std::string& directory) {
  StoredAudit stored;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  stored.note = read_lines(directory + "/" + kRows, [&](const std::string& line) {
    AuditRecord record = read_audit_record(line);
    const auto [place, added] =
        places.try_emplace({record.case_text, record.row.tensor}, stored.records.size());
    if (added)
      stored.records.push_back(std::move(record));
    else
      stored.records[place->second] = std::move(record);
  });
  return stored;
}

}  // namespace gradproof
