// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/command_line/completion.h"

namespace gradproof {
namespace {

constexpr const char* kZshHead = R"shell(#compdef gradproof
# Completion of gradproof for zsh; `gradproof completion zsh` writes it.
_gradproof_kernels() {
  local -a kernels
  kernels=(${(f)"$(gradproof list 2>/dev/null | awk 'NR > 1 && NF == 0 { exit } NR > 1 && /^[^ ]/ { print $1 }')"})
  compadd -a kernels
}
_gradproof() {
  local -a verbs
  local verb=$words[2]
)shell";

constexpr const char* kZshTail = R"(  esac
}
if [[ $funcstack[1] == _gradproof ]]; then _gradproof "$@"; else compdef _gradproof gradproof; fi
)";

/// The text inside single quotes, in which signs that are `special` are escaped.
std::string quoted(const std::string& text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result;
}

std::string action_for(const Candidates& candidates) {
  switch (candidates.kind) {
    case Candidates::Kind::words:
      return fmt::format("({})", fmt::join(candidates.words, " "));
    case Candidates::Kind::kernels:
      return "_gradproof_kernels";
    case Candidates::Kind::files:
      return "_files";
    case Candidates::Kind::folders:
      return "_files -/";
    default:
      return " ";
  }
}

/// The text that `_arguments` takes for an option: '--records[help]:DIR:_files -/'.
std::string option_spec(const OptionText& option, const ProgramText& program) {
  const std::string head = fmt::format("{}{}[{}]", option.repeated ? "*" : "", option.name,
                                       quoted(option.help, "[]:\\"));
  if (option.value.empty()) return head;
  return fmt::format("{}:{}:{}", head, quoted(option.value, ":\\"),
                     action_for(candidates_of(option, program)));
}

std::string zsh_branch_of(const VerbText& verb, const ProgramText& program) {
  std::string specs = "'--help[what the verb takes]'";
  for (const OptionText& option : verb.options)
    specs += fmt::format(" \\\n        '{}'", option_spec(option, program));
  for (const OptionText& argument : verb.arguments)
    specs += fmt::format(" \\\n        '{}:{}:{}'", argument.repeated ? "*" : "", argument.name,
                         action_for(candidates_of(argument, program)));
  return fmt::format("    '{}')\n      _arguments {} ;;\n", verb.name, specs);
}

/// Offers words, with what they do, where the cursor is at this place of the command line.
std::string offer(int place, const ProgramText& program, const std::string& before) {
  std::string words;
  for (const std::string& word : next_words(program, before)) {
    const auto verbs = verbs_named(program, before.empty() ? word : before + " " + word);
    words += fmt::format("\n      '{}:{}'", word, quoted(verbs.front().help, ":\\"));
  }
  return fmt::format(
      "  if (( CURRENT == {} )); then\n    verbs=({})\n    _describe verb verbs\n    return\n  "
      "fi\n",
      place, words);
}

}  // namespace

std::string zsh_completion(const ProgramText& program) {
  std::string text = kZshHead + offer(2, program, "");
  for (const std::string& verb : next_words(program, "")) {
    if (next_words(program, verb).empty()) continue;
    text += fmt::format(
        "  if [[ $verb == {} ]]; then\n{}  verb+=\" $words[3]\"\n  shift words\n"
        "  (( CURRENT-- ))\n  fi\n",
        verb, offer(3, program, verb));
  }
  text += "  shift words\n  (( CURRENT-- ))\n  case $verb in\n";
  for (const VerbText& verb : program.verbs) text += zsh_branch_of(verb, program);
  return text + kZshTail;
}

}  // namespace gradproof
