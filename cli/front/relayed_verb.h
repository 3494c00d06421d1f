// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "cli/front/options.h"
#include "cli/process/session.h"

namespace gradproof {

/// A verb whose text the worker writes. Where a kernel takes the worker down, each Case that was
/// running is asked about alone; what is lost again is said, is wrong, and the verb goes on in a
/// fresh worker without it.
class RelayedVerb {
 public:
  RelayedVerb(Session& session, const Options& options, Request request);

  /// The exit code. Throws UsageError and InstrumentError.
  int run();

 private:
  Reply ask();
  /// Whether it is worth asking again. `reply` has no answer.
  bool can_go_on(const Reply& reply);
  /// Those of the Cases that take a worker down by themselves.
  std::vector<LostCase> lost_among(const std::vector<std::string>& cases);
  void print(const Record& record) const;
  /// The last lines where the worker could not write its own.
  int ended(const std::string& why, int code) const;
  int code_of(const Reply& reply) const;
  std::string text_of_loss(const Reply& reply) const;

  Session& session_;
  const Options& options_;
  Request request_;
  Clock::time_point start_ = Clock::now();
  std::vector<LostCase> lost_;
  bool printed_ = false;      ///< a line of the answer
  bool asked_again_ = false;  ///< since somebody else ended the worker
};

}  // namespace gradproof
