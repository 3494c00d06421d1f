// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace simt::executor {

/// While an Alarm lives, it wakes the running Block (Block::tick) about twice per `period` of this
/// OS thread's processor time: the only way to stop a kernel that spins on plain or volatile loads,
/// which the executor does not see. It measures processor time, so that a busy machine raises no
/// false alarm. Each OS thread has at most one Alarm at a time.
class Alarm {
 public:
  explicit Alarm(std::chrono::duration<double> period);
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
};

}  // namespace simt::executor
