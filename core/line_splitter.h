// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gradproof {

/// In bytes. A line of our programs and a Case that a person writes are shorter. Code that reads
/// lines from outside stops at this length instead of holding a line that has no end.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 24;

/// Cuts text that arrives in pieces into lines.
class LineSplitter {
 public:
  void append(std::string_view bytes) { pending_ += bytes; }
  /// The next whole line, without its line feed; nothing where no whole line has arrived.
  std::optional<std::string> next();
  /// The part of the next line that has arrived, where its line feed has not.
  const std::string& rest() const { return pending_; }

 private:
  std::string pending_;
  std::size_t searched_ = 0;  ///< bytes in front that are no line feed
};

}  // namespace gradproof
