// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "cli/front/command_line/description.h"

namespace gradproof {

/// The script with which a shell, "bash" or "zsh", completes gradproof's words: verbs, options,
/// choices, suites, kernels (asked of `gradproof list`), files and folders.
std::string completion(const ProgramText& program, const std::string& shell);
std::string bash_completion(const ProgramText& program);
std::string zsh_completion(const ProgramText& program);

/// The words, kernels, files or folders with which a value may be completed.
struct Candidates {
  enum class Kind { none, words, kernels, files, folders };
  Kind kind = Kind::none;
  std::vector<std::string> words = {};
};

Candidates candidates_of(const OptionText& option, const ProgramText& program);

/// The words that stand behind `before` in a verb's name: "check", "baseline", ... behind nothing;
/// "update" behind "baseline".
std::vector<std::string> next_words(const ProgramText& program, const std::string& before);

}  // namespace gradproof
