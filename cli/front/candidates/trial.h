// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/front/options.h"

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

/// Runs the module of cli/python/gradproof/candidate on the specification to its end, and returns
/// its trial.json. Throws UsageError with what it refuses, and Interrupted where a signal came
/// first; what goes wrong within the candidate is in the answer.
nlohmann::json trial_answer(const Options& o, const std::string& module,
                            const nlohmann::json& specification);

/// The exit code of the check; where a signal ended it before anything was judged, that of a run
/// that is incomplete, behind the lines that say so.
int checked_or_interrupted(const Options& o, const std::function<int()>& check);

/// Prints the notes of answers and judges their sets; the exit code is the verdict.
int judge_trial(const Options& o, const nlohmann::json& answer, TrialFolder& folder);

}  // namespace gradproof
