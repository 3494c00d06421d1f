// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

namespace gradproof {

/// Hands a worker's prints (a kernel's own messages, a sanitizer's report) on to our standard
/// error, no more than kShown for each request: a kernel that prints without end fills no disk, and
/// does not wait for a reader.
class WorkerOutput {
 public:
  static constexpr std::size_t kShown = std::size_t{1} << 18;  ///< bytes

  /// Takes over the read end of a pipe.
  explicit WorkerOutput(int descriptor);
  ~WorkerOutput();
  WorkerOutput(const WorkerOutput&) = delete;
  WorkerOutput& operator=(const WorkerOutput&) = delete;

  /// The descriptor to poll; -1 once the worker has closed it.
  int descriptor() const { return descriptor_; }
  /// Hands on what is there, without waiting.
  void hand_on();
  /// Notes that the output from here on belongs to `subject`.
  void begin(const std::string& subject);

 private:
  void show(const std::string& text);

  int descriptor_;
  std::string subject_;
  std::size_t shown_ = 0;  ///< bytes since begin()
};

}  // namespace gradproof
