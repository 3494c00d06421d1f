// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gradproof {

/// Bytes. Longer than any line that a program of ours writes and any Case that a person does: who
/// reads lines from outside stops there instead of holding what has no end.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 24;

/// Cuts what arrives in pieces into lines.
class LineSplitter {
 public:
  void append(std::string_view bytes) { pending_ += bytes; }
  /// The next whole line, without its line feed.
  std::optional<std::string> next();
  /// What has arrived of a line that has no end yet.
  const std::string& rest() const { return pending_; }

 private:
  std::string pending_;
  std::size_t searched_ = 0;  ///< bytes in front that are no line feed
};

}  // namespace gradproof
