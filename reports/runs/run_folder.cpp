// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/run_folder.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/runs/run_id.h"

namespace gradproof {
namespace {

constexpr const char* kSuffix = ".jsonl";

void refuse_earlier_versions(const std::string& folder) {
  for (const char* name : {"records", "audit"}) {
    const std::string path = folder + "/" + name + kSuffix;
    if (std::filesystem::exists(std::filesystem::symlink_status(path)))
      throw InstrumentError(
          fmt::format("{}: records of an earlier version; this one keeps each run in a file of its "
                      "own: run again, into another directory",
                      path));
  }
}

}  // namespace

std::string run_path(const std::string& folder, const std::string& id) {
  return folder + "/" + id + kSuffix;
}

std::vector<std::string> run_ids(const std::string& folder) {
  refuse_earlier_versions(folder);
  std::vector<std::string> ids;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(folder, absent)) {
    const std::filesystem::path name = entry.path().filename();
    if (name.extension() == kSuffix && start_of_run_id(name.stem().string()))
      ids.push_back(name.stem());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace gradproof
