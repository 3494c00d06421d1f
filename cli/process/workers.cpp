// SPDX-License-Identifier: Apache-2.0
#include "cli/process/workers.h"

namespace gradproof {

std::shared_ptr<Session> Workers::of(const std::string& program, double deadline_seconds) {
  return several(program, deadline_seconds, 1).front();
}

Sessions Workers::several(const std::string& program, double deadline_seconds, std::size_t count) {
  Sessions& sessions = sessions_[program];
  if (!sessions.empty() && sessions.front()->deadline_seconds() != deadline_seconds)
    sessions.clear();
  while (sessions.size() < count)
    sessions.push_back(std::make_shared<Session>(program, deadline_seconds, interrupt_));
  Sessions asked(sessions.begin(), sessions.begin() + static_cast<std::ptrdiff_t>(count));
  for (const auto& session : asked) session->begin();
  return asked;
}

}  // namespace gradproof
