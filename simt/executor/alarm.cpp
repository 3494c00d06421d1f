// SPDX-License-Identifier: Apache-2.0
#include "simt/executor/alarm.h"

#include <cerrno>
#include <system_error>

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "simt/executor/block.h"

namespace simt::executor {
namespace {

/// QEMU, which emulates another processor, has no timer with either of the last two signals.
int alarm_signal() { return SIGRTMAX - 2; }

void ring(int) {
  const int kept = errno;
  if (running.scheduler) running.scheduler->tick();
  errno = kept;
}

bool install_handler() {
  struct sigaction action {};
  action.sa_handler = ring;
  // The handler may leave for good by switching stacks, so the signal must not stay blocked.
  action.sa_flags = SA_NODEFER | SA_RESTART;
  return sigaction(alarm_signal(), &action, nullptr) == 0;
}

/// The class holds a timer on the processor time of the OS thread that made it.
class ThreadTimer {
 public:
  ThreadTimer() {
    static const bool installed = install_handler();
    struct sigevent event {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = alarm_signal();
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    if (!installed || timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) != 0) {
      throw std::system_error(errno, std::generic_category(), "the executor's watchdog");
    }
  }
  ~ThreadTimer() { timer_delete(timer_); }
  ThreadTimer(const ThreadTimer&) = delete;
  ThreadTimer& operator=(const ThreadTimer&) = delete;

  /// Makes the timer ring every `seconds`; 0 stops the timer.
  void set(double seconds) {
    const auto whole = static_cast<time_t>(seconds);
    const auto rest = static_cast<long>((seconds - static_cast<double>(whole)) * 1e9);
    const struct timespec every { whole, rest };
    const struct itimerspec setting { every, every };
    timer_settime(timer_, 0, &setting, nullptr);
  }

 private:
  timer_t timer_{};
};

ThreadTimer& own_timer() {
  thread_local ThreadTimer timer;
  return timer;
}

}  // namespace

Alarm::Alarm(std::chrono::duration<double> period) { own_timer().set(period.count() / 2); }

Alarm::~Alarm() { own_timer().set(0); }

}  // namespace simt::executor
