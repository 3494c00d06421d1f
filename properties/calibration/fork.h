// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

namespace gradproof {

/// The end and the text of work in another process.
struct ProcessResult {
  enum class End {
    said,   ///< `text` is what it said
    threw,  ///< `text` is what the exception says
    lost    ///< it crashed or did not end
  };
  End end = End::lost;
  std::string text = {};
};

/// Returns the text of `work`, computed in a process of its own: a wrong kernel may touch memory
/// that nobody owns, or never end; it is given up after `seconds`. No other thread of this process
/// may be at work meanwhile.
ProcessResult in_own_process(const std::function<std::string()>& work, double seconds = 60);

}  // namespace gradproof
