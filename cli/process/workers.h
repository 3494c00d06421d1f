// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/process/session.h"

namespace gradproof {

using Sessions = std::vector<std::shared_ptr<Session>>;

/// The workers that verbs ask: of each program one or several, which live as long as this value
/// does, or as long as somebody holds their sessions.
class Workers {
 public:
  explicit Workers(Interrupt& interrupt) : interrupt_(interrupt) {}

  /// The program's worker is there or on its way. Throws as Session::begin() does.
  std::shared_ptr<Session> of(const std::string& program, double deadline_seconds);
  /// Returns `count` workers of the program; the first is the one that of() returns.
  Sessions several(const std::string& program, double deadline_seconds, std::size_t count);

  Interrupt& interrupt() const { return interrupt_; }

 private:
  Interrupt& interrupt_;
  std::map<std::string, Sessions> sessions_;
};

}  // namespace gradproof
