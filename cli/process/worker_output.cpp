// SPDX-License-Identifier: Apache-2.0
#include "cli/process/worker_output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/protocol/standard_streams.h"

namespace gradproof {

WorkerOutput::WorkerOutput(int descriptor) : descriptor_(descriptor) {
  fcntl(descriptor_, F_SETFL, O_NONBLOCK);
}

WorkerOutput::~WorkerOutput() {
  if (descriptor_ >= 0) close(descriptor_);
}

void WorkerOutput::begin(const std::string& subject) {
  subject_ = subject;
  shown_ = 0;
}

void WorkerOutput::hand_on() {
  // A flood of output is read in parts, so that the deadline is looked at between them.
  constexpr int kReads = 64;
  std::array<char, 65536> bytes{};
  for (int i = 0; i < kReads && descriptor_ >= 0; ++i) {
    const ssize_t count = read(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count > 0) {
      show({bytes.data(), static_cast<std::size_t>(count)});
    } else {
      close(descriptor_);
      descriptor_ = -1;
    }
  }
}

void WorkerOutput::show(const std::string& text) {
  if (shown_ > kShown) return;
  const std::size_t room = kShown - shown_;
  shown_ += text.size();
  std::fwrite(text.data(), 1, std::min(text.size(), room), stderr);
  if (text.size() > room)
    complain(fmt::format(
        "\ngradproof: over '{}' a worker printed more than {} KiB; the rest is left out", subject_,
        kShown >> 10));
}

}  // namespace gradproof
