// SPDX-License-Identifier: Apache-2.0
#include "reports/audit_files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/audit_page.h"
#include "reports/audit_svg.h"

namespace gradproof {
namespace {

void write_file(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file)
    throw InstrumentError(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
}

}  // namespace

void draw_audit(const StoredRun& run, const std::string& folder) {
  const std::string own = folder + "/" + run.header.id;
  std::error_code failed;
  std::filesystem::create_directories(own, failed);
  if (failed)
    throw InstrumentError(fmt::format("cannot make directory '{}': {}", own, failed.message()));
  const StoredRecords stored = records_of(run);
  for (const Record& record : stored.records)
    if (const std::string picture = audit_svg(record); !picture.empty())
      write_file(own + "/" + svg_name(record), picture);
  write_file(own + "/audit.md", audit_page(stored));
}

}  // namespace gradproof
