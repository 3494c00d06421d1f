// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>

#include "cli/process/session.h"

namespace gradproof {

/// The workers that verbs ask: of each program one, which lives as long as this value does, or as
/// long as somebody holds its session.
class Workers {
 public:
  explicit Workers(Interrupt& interrupt) : interrupt_(interrupt) {}

  /// The program's worker is there or on its way. Throws as Session::begin() does.
  std::shared_ptr<Session> of(const std::string& program, double deadline_seconds);

  Interrupt& interrupt() const { return interrupt_; }

 private:
  Interrupt& interrupt_;
  std::map<std::string, std::shared_ptr<Session>> sessions_;
};

}  // namespace gradproof
