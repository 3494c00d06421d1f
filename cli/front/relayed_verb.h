// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/front/options.h"
#include "cli/front/terminal/progress.h"
#include "cli/process/session.h"

namespace gradproof {

/// A verb whose text the worker writes. If a kernel takes the worker down, each Case that was
/// running is asked about alone; a Case that is lost again is reported as wrong, and the verb goes
/// on in a fresh worker without it, unless the verb is about that Case: then it ends.
class RelayedVerb {
 public:
  /// `on_cell` takes what is found in cells as it comes; no cell is asked for twice.
  RelayedVerb(
      Session& session, const Options& options, Request request,
      std::function<void(const FoundCell&)> on_cell = [](const FoundCell&) {});
  ~RelayedVerb();
  RelayedVerb(const RelayedVerb&) = delete;
  RelayedVerb& operator=(const RelayedVerb&) = delete;

  /// Runs the verb and returns its exit code. Throws UsageError and InstrumentError.
  int run();

 private:
  Reply ask();
  void take(const FoundCell& cell);
  /// The Cases that may have taken the worker down.
  std::vector<std::string> suspects_of(const Reply& reply) const;
  /// True if it is worth asking again. `reply` has no answer.
  bool can_go_on(const Reply& reply);
  /// The Cases among these that take a worker down by themselves.
  std::vector<LostCase> lost_among(const std::vector<std::string>& cases);
  void print(const Record& record);
  /// Prints a line between the lines of the progress.
  void print(const std::string& line, bool json);
  void show(const WorkReached& reached);
  /// Prints the last lines if the worker could not write its own.
  int ended(const std::string& why, int code);
  int code_of(const Reply& reply) const;
  std::string text_of_loss(const Reply& reply) const;

  Session& session_;
  const Options& options_;
  Request request_;
  std::function<void(const FoundCell&)> on_cell_;
  std::size_t of_cells_ = 0;  ///< that were asked for at first
  Clock::time_point start_ = Clock::now();
  std::optional<Progress> progress_;  ///< on a terminal, once the worker says how far it is
  std::vector<LostCase> lost_;
  bool printed_ = false;      ///< a line of the answer
  bool asked_again_ = false;  ///< since somebody else ended the worker
};

}  // namespace gradproof
