// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>

#include <signal.h>

namespace gradproof {

/// The user ended the program while it waited for something that it cannot go on without. Exit 4.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr int kExitInterrupted = 4;

/// From here on Ctrl-C, a polite kill and a terminal that closes (SIGINT, SIGTERM, SIGHUP) end the
/// program with a line on standard error and exit code 4: for verbs that have nothing to tell
/// before their end.
void end_on_signals();

/// While this lives they do so again on this thread, whatever Interrupt there is: for what cannot
/// be polled, as a file that is a pipe which nobody writes.
class EndOnSignals {
 public:
  EndOnSignals();
  ~EndOnSignals();
  EndOnSignals(const EndOnSignals&) = delete;
  EndOnSignals& operator=(const EndOnSignals&) = delete;

 private:
  sigset_t before_;
};

/// Turns these signals into something to poll instead of a sudden death: what was found so far is
/// still printed. Holds for the whole process, from construction on.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Readable once a signal has come, or raise() was called.
  int descriptor() const { return descriptor_; }
  bool raised() const;

  /// Ends what goes on as a signal would: for what nobody waits for any more.
  void raise();

 private:
  int signals_ = -1;
  int event_ = -1;
  int descriptor_ = -1;  ///< both of them
};

}  // namespace gradproof
