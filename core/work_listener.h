// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

namespace gradproof {

/// Is told after each piece of work that for_each_index did on this thread, for as long as it
/// lives: whoever waits for the judge knows that it gets on. Listeners nest; the innermost is told.
class WorkListener {
 public:
  explicit WorkListener(std::function<void()> tell);
  ~WorkListener();
  WorkListener(const WorkListener&) = delete;
  WorkListener& operator=(const WorkListener&) = delete;

 private:
  friend void note_work();
  std::function<void()> tell_;
  WorkListener* outer_;
};

/// A piece of work has been done on this thread.
void note_work();

}  // namespace gradproof
