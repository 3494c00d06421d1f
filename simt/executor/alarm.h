// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace simt::executor {

/// While it lives, wakes the running Block (Block::tick) about twice per `period` of this OS
/// thread's processor time: the only way to stop a kernel that spins on plain or volatile loads,
/// which the executor does not see. Processor time, so that a busy machine raises no false alarm.
/// One per OS thread at a time.
class Alarm {
 public:
  explicit Alarm(std::chrono::duration<double> period);
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
};

}  // namespace simt::executor
