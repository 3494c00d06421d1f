// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace gradproof {

/// The progress of a run.
struct WorkDone {
  std::size_t cases = 0;
  std::size_t of_cases = 0;
  std::size_t wrong = 0;
  double cost = 0;  ///< of what is done, beside which the time is estimated that is left
  double of_cost = 0;
  std::string what = "cases";
};

/// The progress in words, "137/529 cases, 41 a second, 9 s left, 2 wrong", after so many seconds;
/// without a rate before the first Case.
std::string progress_text(const WorkDone& done, double seconds);

enum class ProgressStyle {
  hidden,
  line,   ///< one line that overwrites itself, for a terminal
  lines,  ///< a plain line now and then, for a file or a pipe
};

/// The style for standard error, which depends on its being a terminal.
ProgressStyle style_of_standard_error();

/// Shows the progress of a run on standard error, so that it is seen to go on even if one Case
/// takes minutes. Safe to use from several threads; a stream that takes nothing costs the lines.
class Progress {
 public:
  Progress(ProgressStyle style, const WorkDone& whole, std::FILE* stream = stderr,
           std::chrono::milliseconds pause = std::chrono::milliseconds(0));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void done(double cost, bool wrong);
  /// Sets the counts, for a caller that counts the Cases and their cost itself.
  void reached(const WorkDone& done);
  /// Shows behind the counts what is under way now.
  void note(const std::string& text);
  /// Prints lines that stay, at once. Characters that a terminal would obey are escaped.
  void tell(std::string_view lines);
  /// Clears the line, and keeps it away while the caller prints.
  [[nodiscard]] std::unique_lock<std::mutex> hold();

 private:
  void draw_now_and_then(const std::stop_token& stop);
  void draw();
  void clear();

  const ProgressStyle style_;
  std::FILE* const stream_;
  const std::chrono::milliseconds pause_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  WorkDone done_;
  std::string note_;
  bool shown_ = false;
  std::jthread drawing_;
};

}  // namespace gradproof
