// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gradproof {

/// An option, or an argument without a name before it.
struct OptionText {
  std::string name;   ///< "--records", "CASE"
  std::string value;  ///< what it takes: "DIR", "bash|zsh"; empty: nothing
  std::string help;
  std::string initial;  ///< what holds where it is not given; empty: nothing does
  bool required = false;
  bool repeated = false;  ///< may be given several times
};

struct VerbText {
  std::string name;  ///< "check", "baseline update"
  std::string help;
  std::string example;  ///< a command line
  std::vector<OptionText> arguments;
  std::vector<OptionText> options;
};

/// A description of the program's command line in words: --help, the manual page and the shells'
/// completion are all written from it.
struct ProgramText {
  std::string help;
  std::vector<VerbText> verbs;
};

/// The description as the parser itself has it, so that the two cannot differ.
ProgramText described(const CLI::App& app);

/// The verb of that name, or of all that start with the word: "baseline".
std::vector<VerbText> verbs_named(const ProgramText& program, const std::string& name);

/// The words of "bash|zsh"; empty where the value is no choice.
std::vector<std::string> choices_of(const OptionText& option);

}  // namespace gradproof
