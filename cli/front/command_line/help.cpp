// SPDX-License-Identifier: Apache-2.0
#include "cli/front/command_line/help.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace gradproof {
namespace {

constexpr std::size_t kWidth = 80;

/// The words in lines that are no wider than kWidth, from this column on.
std::string wrapped(const std::string& text, std::size_t column) {
  std::istringstream words(text);
  std::string lines;
  std::size_t at = column;
  for (std::string word; words >> word; at += word.size()) {
    if (!lines.empty() && at + 1 + word.size() > kWidth) {
      lines += "\n" + std::string(column, ' ');
      at = column;
    } else if (!lines.empty()) {
      lines += " ";
      ++at;
    }
    lines += word;
  }
  return lines;
}

/// "  --records DIR       directory that takes ..."
std::string row(const std::string& name, const std::string& help) {
  constexpr std::size_t kColumn = 26;
  const std::string start = "  " + name;
  const bool fits = start.size() + 2 <= kColumn;
  const std::string gap =
      fits ? std::string(kColumn - start.size(), ' ') : "\n" + std::string(kColumn, ' ');
  return start + gap + wrapped(help, kColumn) + "\n";
}

std::string rows(const char* head, const std::vector<OptionText>& options) {
  std::string text;
  for (const OptionText& option : options) {
    const bool named = option.name.starts_with('-');
    text += row(named && !option.value.empty() ? option.name + " " + option.value : option.name,
                help_with_default(option));
  }
  return text.empty() ? "" : fmt::format("\n{}:\n{}", head, text);
}

}  // namespace

std::string usage_of(const VerbText& verb) {
  std::string text = "gradproof " + verb.name;
  for (const OptionText& option : verb.options)
    if (option.required) text += fmt::format(" {} {}", option.name, option.value);
  if (std::any_of(verb.options.begin(), verb.options.end(),
                  [](const OptionText& option) { return !option.required; }))
    text += " [OPTIONS]";
  for (const OptionText& argument : verb.arguments) {
    const std::string name = argument.name + (argument.repeated ? "..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string help_with_default(const OptionText& option) {
  std::string text = option.help;
  const bool named = option.name.starts_with('-');
  if (!named && !choices_of(option).empty()) text += ": " + option.value;
  if (option.required && named) text += "; required";
  return option.initial.empty() ? text : fmt::format("{} (default: {})", text, option.initial);
}

std::string help_text(const VerbText& verb) {
  return fmt::format("gradproof {}: {}\n\nUsage: {}\n{}{}\nExample:\n  {}\n", verb.name, verb.help,
                     usage_of(verb), rows("Arguments", verb.arguments),
                     rows("Options", verb.options), verb.example);
}

std::string help_text(const ProgramText& program) {
  std::string text = fmt::format(
      "gradproof: {}\n\nUsage: gradproof VERB [OPTIONS] [ARGUMENTS]\n\nVerbs:\n", program.help);
  for (const VerbText& verb : program.verbs) text += row(verb.name, verb.help);
  return text +
         "\n'gradproof help VERB' says more of one; 'gradproof --version' prints the version.\n";
}

}  // namespace gradproof
