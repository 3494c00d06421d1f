// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/line_splitter.h"

namespace gradproof {

/// In bytes, some five hundred runs of the push suite's records: a file that is read fits into the
/// memory of a small machine.
inline constexpr std::int64_t kLongestFile = std::int64_t{1} << 30;

/// Reads a text file line by line. A file that has no end (/dev/zero) is refused, not held.
class TextFile {
 public:
  /// Throws UsageError, as next() does, where the file cannot be read.
  explicit TextFile(const std::string& path);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  /// The next line without its line feed; nothing at the end. Throws UsageError for a line over
  /// kLongestLine or a file over kLongestFile.
  std::optional<std::string> next();
  /// The number of the line that next() returned last, counted from 1.
  std::int64_t number() const { return number_; }
  /// True if the line that next() returned last had no line feed.
  bool torn() const { return torn_; }

 private:
  /// Appends more of the file to `lines_`; false at its end.
  bool read_more();

  std::string path_;
  int descriptor_ = -1;
  LineSplitter lines_;
  std::int64_t read_ = 0;  ///< bytes
  std::int64_t number_ = 0;
  bool torn_ = false;
};

}  // namespace gradproof
