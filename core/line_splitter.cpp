// SPDX-License-Identifier: Apache-2.0
#include "core/line_splitter.h"

namespace gradproof {

std::optional<std::string> LineSplitter::next() {
  const std::size_t end = pending_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = pending_.size();
    return std::nullopt;
  }
  std::string line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  searched_ = 0;
  return line;
}

}  // namespace gradproof
