// SPDX-License-Identifier: Apache-2.0
#include "cli/front/command_line/completion.h"

#include <algorithm>

#include "cli/front/cases.h"

namespace gradproof {

std::vector<std::string> next_words(const ProgramText& program, const std::string& before) {
  const std::string start = before.empty() ? "" : before + " ";
  std::vector<std::string> words;
  for (const VerbText& verb : program.verbs) {
    if (!verb.name.starts_with(start)) continue;
    const std::string rest = verb.name.substr(start.size());
    const std::string next = rest.substr(0, rest.find(' '));
    if (std::find(words.begin(), words.end(), next) == words.end()) words.push_back(next);
  }
  return words;
}

Candidates candidates_of(const OptionText& option, const ProgramText& program) {
  using enum Candidates::Kind;
  const std::string kind = option.name.starts_with('-') ? option.value : option.name;
  if (auto choices = choices_of(option); !choices.empty()) return {words, choices};
  if (kind == "SUITE") return {words, known_suites()};
  if (kind == "VERB") return {words, next_words(program, "")};
  if (kind == "CASE" || kind == "KERNEL") return {kernels};
  if (kind == "DIR") return {folders};
  if (kind == "FILE" || kind == "PROGRAM") return {files};
  return {none};
}

std::string completion(const ProgramText& program, const std::string& shell) {
  return shell == "zsh" ? zsh_completion(program) : bash_completion(program);
}

}  // namespace gradproof
