// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <string>

namespace gradproof {

/// While this lives, what is printed to one of the standard streams is kept instead, whoever prints
/// it. To who asks it is a file and no terminal.
class Captured {
 public:
  /// stdout or stderr. Throws InstrumentError where no file can be made in memory.
  explicit Captured(std::FILE* stream);
  ~Captured();
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  /// All of it so far.
  std::string text();

 private:
  std::FILE* stream_;
  int kept_ = -1;    ///< a file in memory
  int before_ = -1;  ///< where the stream went
};

}  // namespace gradproof
