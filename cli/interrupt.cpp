// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/error.h"

namespace gradproof {

Interrupt::Interrupt() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  descriptor_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) throw InstrumentError("no signalfd");
  // A worker that dies while it is written to is a finding, not our own end.
  signal(SIGPIPE, SIG_IGN);
}

Interrupt::~Interrupt() { close(descriptor_); }

bool Interrupt::raised() const {
  // The signal is never read, so the answer stays yes.
  pollfd wait{descriptor_, POLLIN, 0};
  return poll(&wait, 1, 0) == 1;
}

}  // namespace gradproof
