// SPDX-License-Identifier: Apache-2.0
#include "core/work_listener.h"

#include <utility>

namespace gradproof {
namespace {

thread_local WorkListener* innermost = nullptr;

}  // namespace

WorkListener::WorkListener(std::function<void()> on_work)
    : on_work_(std::move(on_work)), outer_(innermost) {
  innermost = this;
}

WorkListener::~WorkListener() { innermost = outer_; }

void note_work() {
  if (innermost != nullptr) innermost->on_work_();
}

}  // namespace gradproof
