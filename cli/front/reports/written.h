// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "reports/formats/formats.h"

namespace gradproof {

/// The destination of a report's formats. Without --output one format goes to standard output and
/// several are refused. With it one goes to that file, several into that folder, which is made; an
/// existing folder takes one as well. Files of a folder are named by file_name().
class Destination {
 public:
  /// Throws UsageError if the formats cannot go there.
  Destination(const std::string& output, const std::vector<ReportFormat>& formats);

  /// Writes the file as a whole, or leaves what was there, and says so in a line. Throws
  /// InstrumentError where it cannot be written.
  void write(ReportFormat format, const std::string& text) const;

 private:
  std::string output_;
  bool is_folder_ = false;
};

}  // namespace gradproof
