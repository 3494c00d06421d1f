// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

namespace gradproof {

/// One line that overwrites itself on a terminal; silent in a pipe.
class Progress {
 public:
  explicit Progress(std::size_t total);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t done, std::size_t tensors);
  void note(const std::string& text);
  /// Wipes the line, so that other output starts at its beginning.
  void clear();

 private:
  std::size_t total_;
  bool terminal_;
  bool shown_ = false;
};

}  // namespace gradproof
