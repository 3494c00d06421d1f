// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/command_line/completion.h"

namespace gradproof {
namespace {

constexpr const char* kBashHead =
    R"shell(# Completion of gradproof for bash; `gradproof completion bash` writes it.
_gradproof_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }
_gradproof_kernels() {
  _gradproof_words "$(gradproof list 2>/dev/null | awk 'NR > 1 && NF == 0 { exit } NR > 1 && /^[^ ]/ { print $1 }')"
}
_gradproof_paths() {
  mapfile -t COMPREPLY < <(compgen "$1" -- "$word")
  compopt -o filenames 2>/dev/null
}
)shell";

constexpr const char* kBashTail = R"(  esac
}
complete -F _gradproof gradproof
)";

std::string command_for(const Candidates& candidates) {
  switch (candidates.kind) {
    case Candidates::Kind::words:
      return fmt::format("_gradproof_words '{}'", fmt::join(candidates.words, " "));
    case Candidates::Kind::kernels:
      return "_gradproof_kernels";
    case Candidates::Kind::files:
      return "_gradproof_paths -f";
    case Candidates::Kind::folders:
      return "_gradproof_paths -d";
    default:
      return ":";
  }
}

/// The branch of a verb: behind an option that takes a value, that; else options or arguments.
std::string bash_branch_of(const VerbText& verb, const ProgramText& program) {
  std::string text = fmt::format("    '{}')\n      case $before in\n", verb.name);
  std::string names = "--help";
  for (const OptionText& option : verb.options) {
    names += " " + option.name;
    if (!option.value.empty())
      text += fmt::format("        {}) {} ;;\n", option.name,
                          command_for(candidates_of(option, program)));
  }
  const std::string argument =
      verb.arguments.empty() ? ":" : command_for(candidates_of(verb.arguments.front(), program));
  return text + fmt::format(
                    "        *) if [[ $word == -* ]]; then _gradproof_words '{}'; else {}; "
                    "fi ;;\n      esac ;;\n",
                    names, argument);
}

}  // namespace

std::string bash_completion(const ProgramText& program) {
  std::string text = kBashHead;
  text +=
      "_gradproof() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local verb=${COMP_WORDS[1]}\n  COMPREPLY=()\n";
  text += fmt::format(
      "  if ((COMP_CWORD == 1)); then\n    _gradproof_words '{} --help --version'\n    return\n  "
      "fi\n",
      fmt::join(next_words(program, ""), " "));
  for (const std::string& verb : next_words(program, "")) {
    const auto behind = next_words(program, verb);
    if (behind.empty()) continue;
    text += fmt::format(
        "  if [[ $verb == {} ]]; then\n    verb+=\" ${{COMP_WORDS[2]}}\"\n"
        "    if ((COMP_CWORD == 2)); then\n      _gradproof_words '{}'\n"
        "      return\n    fi\n  fi\n",
        verb, fmt::join(behind, " "));
  }
  text += "  case $verb in\n";
  for (const VerbText& verb : program.verbs) text += bash_branch_of(verb, program);
  return text + kBashTail;
}

}  // namespace gradproof
