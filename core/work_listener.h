// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

namespace gradproof {

/// Calls `on_work` after each piece of work that for_each_index did on this thread, while the
/// listener lives: a program that waits for the judge sees progress. If listeners are nested, the
/// innermost is called.
class WorkListener {
 public:
  explicit WorkListener(std::function<void()> on_work);
  ~WorkListener();
  WorkListener(const WorkListener&) = delete;
  WorkListener& operator=(const WorkListener&) = delete;

 private:
  friend void note_work();
  std::function<void()> on_work_;
  WorkListener* outer_;
};

/// Tells the innermost listener that a piece of work has been done on this thread.
void note_work();

}  // namespace gradproof
