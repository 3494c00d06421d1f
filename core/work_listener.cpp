// SPDX-License-Identifier: Apache-2.0
#include "core/work_listener.h"

#include <utility>

namespace gradproof {
namespace {

thread_local WorkListener* innermost = nullptr;

}  // namespace

WorkListener::WorkListener(std::function<void()> tell) : tell_(std::move(tell)), outer_(innermost) {
  innermost = this;
}

WorkListener::~WorkListener() { innermost = outer_; }

void note_work() {
  if (innermost != nullptr) innermost->tell_();
}

}  // namespace gradproof
