// SPDX-License-Identifier: Apache-2.0
#include "cli/front/command_line/man_page.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "cli/front/command_line/help.h"

namespace gradproof {
namespace {

/// When what stands here and not in the verbs' own words was last changed.
constexpr const char* kDate = "2026-11-23";

using Paragraph = std::pair<const char*, const char*>;

constexpr std::array kExitCodes{
    Paragraph{"0", "all passed"},
    Paragraph{"1", "something is wrong"},
    Paragraph{"2", "usage: what was asked for cannot be"},
    Paragraph{"3", "infrastructure: no worker, a broken instrument, output that cannot be written"},
    Paragraph{"4", "incomplete: something stayed unproved, or nothing ran"},
    Paragraph{"5", "a regression, and nothing worse"},
    Paragraph{"141", "the reader of standard output has gone"}};

constexpr std::array kVariables{
    Paragraph{"NO_COLOR", "where it is not empty there are no colours"},
    Paragraph{"FORCE_COLOR",
              "where it is not empty there are colours, in a pipe and beside "
              "NO_COLOR too"}};

/// Text as roff takes it: hyphens that can be copied, backslashes, no accidental request.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else if (c == '`')
      result += "\\(ga";
    else
      result += c;
  }
  return result.starts_with('.') ? "\\&" + result : result;
}

std::string tagged(const std::string& tag, const std::string& text) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(tag), roff(text));
}

template <std::size_t N>
std::string section(const char* head, const std::array<Paragraph, N>& paragraphs) {
  std::string text = fmt::format(".SH {}\n", head);
  for (const auto& [tag, words] : paragraphs) text += tagged(tag, words);
  return text;
}

std::string verb_section(const VerbText& verb) {
  std::string text = fmt::format(".SS {}\n{}.\n.PP\n\\fB{}\\fR\n", roff(verb.name), roff(verb.help),
                                 roff(usage_of(verb)));
  for (const OptionText& argument : verb.arguments)
    text += tagged(argument.name, help_with_default(argument));
  for (const OptionText& option : verb.options)
    text += tagged(option.value.empty() ? option.name : option.name + " " + option.value,
                   help_with_default(option));
  return text + fmt::format(".PP\nExample:\n.PP\n.nf\n.RS\n{}\n.RE\n.fi\n", roff(verb.example));
}

}  // namespace

std::string man_page(const ProgramText& program) {
  std::string text = fmt::format(
      ".TH GRADPROOF 1 {} \"gradproof " GRADPROOF_VERSION
      "\" \"User Commands\"\n"
      ".SH NAME\ngradproof \\- {}\n.SH SYNOPSIS\n\\fBgradproof\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR] "
      "[\\fIARGUMENTS\\fR]\n.SH DESCRIPTION\nA judge of fused CUDA kernels: every number of a "
      "forward and a backward pass is compared with a certified truth, within a bound that is "
      "derived from what the kernel promises of its arithmetic.\n.SH VERBS\n",
      kDate, roff(program.help));
  for (const VerbText& verb : program.verbs) text += verb_section(verb);
  return text + section("EXIT STATUS", kExitCodes) + section("ENVIRONMENT", kVariables);
}

}  // namespace gradproof
