// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "cli/front/command_line/description.h"

namespace gradproof {

/// What makes a shell, "bash" or "zsh", complete gradproof's words: verbs, options, choices,
/// suites, kernels (asked of `gradproof list`), files and folders.
std::string completion(const ProgramText& program, const std::string& shell);
std::string bash_completion(const ProgramText& program);
std::string zsh_completion(const ProgramText& program);

/// What a value may be completed with.
struct Candidates {
  enum class Kind { none, words, kernels, files, folders };
  Kind kind = Kind::none;
  std::vector<std::string> words = {};
};

Candidates candidates_of(const OptionText& option, const ProgramText& program);

/// The words that stand behind these in a verb's name: of nothing "check", "baseline", ...; of
/// "baseline" "update".
std::vector<std::string> next_words(const ProgramText& program, const std::string& before);

}  // namespace gradproof
