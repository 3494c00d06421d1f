// SPDX-License-Identifier: Apache-2.0
#include "cli/front/reports/written.h"

#include <filesystem>
#include <ostream>

#include <fmt/format.h>

#include "cli/front/terminal/paint.h"
#include "core/error.h"
#include "core/whole_file.h"

namespace gradproof {

Destination::Destination(const std::string& output, const std::vector<ReportFormat>& formats)
    : output_(output),
      is_folder_(formats.size() > 1 || output.ends_with('/') ||
                 std::filesystem::is_directory(output)) {
  if (output_.empty() && formats.size() > 1)
    throw UsageError("several formats need --output FOLDER, which takes a file of each");
  if (output_.empty() || !is_folder_) return;
  std::error_code failed;
  std::filesystem::create_directories(output_, failed);
  if (failed || !std::filesystem::is_directory(output_))
    throw UsageError(fmt::format("--output: cannot make directory '{}'{}{}", output_,
                                 failed ? ": " : "", failed ? failed.message() : ""));
}

void Destination::write(ReportFormat format, const std::string& text) const {
  if (output_.empty()) {
    // Other programs read all but the text, which a terminal may show in colours.
    format == ReportFormat::text ? say(text) : fmt::print("{}", text);
    return;
  }
  const std::string path =
      is_folder_ ? (std::filesystem::path(output_) / file_name(format)).string() : output_;
  write_whole_file(path, [&](std::ostream& file) { file << text; });
  say(fmt::format("{}: {}, {} bytes\n", path, name_of(format), text.size()));
}

}  // namespace gradproof
