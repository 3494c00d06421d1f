// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/front/options.h"
#include "cli/front/verbs.h"
#include "cli/process/workers.h"
#include "reports/record/json.h"

namespace gradproof {

/// The number of workers that judge the sets of one question side by side, unless another is named:
/// as many as cores, and no more than have something to do, as each takes a process's memory.
int resident_workers();

/// Answers command lines of programs in Python (docs/cli.md), one after the other, with workers
/// that stay from one to the next.
class CommandLines {
 public:
  /// program: what replays name. count: workers for the sets of one judge.
  CommandLines(std::string program, Workers& workers, int count)
      : program_(std::move(program)), workers_(workers), count_(count) {}

  /// The function runs the command line {"words":[...]} and answers its exit code, what it printed,
  /// its records and causes. A line that is no such JSON is answered as a wrong command line.
  Json answer(const std::string& line);

  /// True for {"early":[...]}, which nobody answers: a judge of one set that the next command line
  /// names among others. A worker begins with it, unless the words are wrong, as the next ones are.
  bool begins(const std::string& line);

 private:
  Options options_of(const std::vector<std::string>& words) const;
  CheckOutcome outcome(const Options& options);

  const std::string program_;
  Workers& workers_;
  const int count_;
  std::optional<CheckRequest> early_;  ///< what a worker began with
};

}  // namespace gradproof
