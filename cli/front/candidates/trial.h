// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/front/options.h"
#include "cli/front/resident/command_lines.h"
#include "cli/process/interrupt.h"
#include "cli/process/workers.h"

namespace gradproof {

/// A folder of its own; what replay lines name stays after a conviction, and beside kept records.
class TrialFolder {
 public:
  TrialFolder();
  ~TrialFolder();
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;

  const std::string& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

/// The absolute path of a file that the option names. Throws UsageError where there is none.
std::string existing(const std::string& path, const char* option);

/// The exit code of the check; where a signal ended it before anything was judged, that of a run
/// that is incomplete, behind the lines that say so.
int checked_or_interrupted(const Options& o, const std::function<int()>& check);

/// The judge of a trial from its start to its end: it answers what the trial's process asks, and
/// the workers that it had for that judge what the trial has found.
class TrialJudge {
 public:
  explicit TrialJudge(const Options& options);

  /// Runs the module of cli/python/gradproof/candidate on the specification to its end, and returns
  /// its trial.json. Throws UsageError with what it refuses, and Interrupted where a signal came
  /// first; what goes wrong within the candidate is in the answer.
  nlohmann::json answer(const std::string& module, const nlohmann::json& specification);

  /// Prints the notes of answers and judges their sets; the exit code is the verdict.
  int judge(const nlohmann::json& answer, TrialFolder& folder);

 private:
  const Options& options_;
  Interrupt interrupt_;
  Workers workers_;
  const int count_;  ///< of workers
  CommandLines command_lines_;
};

}  // namespace gradproof
