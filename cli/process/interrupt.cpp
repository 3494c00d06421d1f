// SPDX-License-Identifier: Apache-2.0
#include "cli/process/interrupt.h"

#include <string_view>
#include <vector>

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/error.h"

namespace gradproof {
namespace {

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// A shell without job control has background programs ignore SIGINT, and whoever sends it all the
/// same means it; nohup means what it says.
std::vector<int> ending_signals() {
  std::vector<int> signals{SIGINT, SIGTERM};
  if (!is_ignored(SIGHUP)) signals.push_back(SIGHUP);
  return signals;
}

sigset_t ending_set() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : ending_signals()) sigaddset(&signals, signal);
  return signals;
}

void end_at_once(int) {
  constexpr std::string_view kText = "gradproof: interrupted before its end; nothing was decided\n";
  // A handler may not do more; who cannot be told still gets the exit code.
  static_cast<void>(write(STDERR_FILENO, kText.data(), kText.size()) == 0);
  _exit(kExitInterrupted);
}

}  // namespace

void end_on_signals() {
  for (const int ending : ending_signals()) signal(ending, end_at_once);
}

EndOnSignals::EndOnSignals() : before_() {
  const sigset_t signals = ending_set();
  pthread_sigmask(SIG_UNBLOCK, &signals, &before_);
}

EndOnSignals::~EndOnSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

Interrupt::Interrupt() {
  const sigset_t signals = ending_set();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  signals_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  descriptor_ = epoll_create1(EPOLL_CLOEXEC);
  epoll_event readable{EPOLLIN, {}};
  for (const int source : {signals_, event_})
    if (epoll_ctl(descriptor_, EPOLL_CTL_ADD, source, &readable) != 0)
      throw InstrumentError("no descriptor for signals");
  // A worker that dies while it is written to is a finding, not our own end.
  signal(SIGPIPE, SIG_IGN);
}

Interrupt::~Interrupt() {
  for (const int descriptor : {descriptor_, event_, signals_}) close(descriptor);
}

bool Interrupt::raised() const {
  // Neither the signal nor the event is ever read, so the answer stays yes.
  pollfd wait{descriptor_, POLLIN, 0};
  return poll(&wait, 1, 0) == 1;
}

void Interrupt::raise() { eventfd_write(event_, 1); }

}  // namespace gradproof
