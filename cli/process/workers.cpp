// SPDX-License-Identifier: Apache-2.0
#include "cli/process/workers.h"

namespace gradproof {

std::shared_ptr<Session> Workers::of(const std::string& program, double deadline_seconds) {
  std::shared_ptr<Session>& session = sessions_[program];
  if (!session || session->deadline_seconds() != deadline_seconds)
    session = std::make_shared<Session>(program, deadline_seconds, interrupt_);
  session->begin();
  return session;
}

}  // namespace gradproof
