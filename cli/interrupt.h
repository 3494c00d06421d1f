// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gradproof {

/// Turns Ctrl-C and a polite kill (SIGINT, SIGTERM) into something to poll instead of a sudden
/// death: what was found so far is still told. Holds for the whole process, from construction on.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Readable once a signal has come.
  int descriptor() const { return descriptor_; }
  bool raised() const;

 private:
  int descriptor_ = -1;
};

}  // namespace gradproof
