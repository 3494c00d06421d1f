// SPDX-License-Identifier: Apache-2.0
#include "cli/front/command_line/description.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include <CLI/CLI.hpp>

namespace gradproof {
namespace {

OptionText described(const CLI::Option& option) {
  OptionText text;
  text.name = option.get_positional() ? option.get_name(true) : option.get_name(false);
  const bool takes_value = option.get_items_expected_max() > 0;
  if (takes_value) text.value = option.get_type_name();
  text.help = option.get_description();
  text.initial = option.get_default_str();
  text.required = option.get_required();
  text.repeated = option.get_items_expected_max() > 1 ||
                  option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  return text;
}

VerbText described_verb(const CLI::App& verb, const std::string& name) {
  VerbText text{name, verb.get_description(), verb.get_footer(), {}, {}};
  for (const CLI::Option* option : verb.get_options()) {
    if (option == verb.get_help_ptr()) continue;
    (option->get_positional() ? text.arguments : text.options).push_back(described(*option));
  }
  return text;
}

void collect(const CLI::App& app, const std::string& before, std::vector<VerbText>& verbs) {
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = before + verb->get_name();
    if (verb->get_subcommands([](const CLI::App*) { return true; }).empty())
      verbs.push_back(described_verb(*verb, name));
    else
      collect(*verb, name + " ", verbs);
  }
}

}  // namespace

ProgramText described(const CLI::App& app) {
  ProgramText program{app.get_description(), {}};
  collect(app, "", program.verbs);
  return program;
}

std::vector<VerbText> verbs_named(const ProgramText& program, const std::string& name) {
  std::vector<VerbText> found;
  std::copy_if(program.verbs.begin(), program.verbs.end(), std::back_inserter(found),
               [&](const VerbText& v) { return v.name == name || v.name.starts_with(name + " "); });
  return found;
}

std::vector<std::string> choices_of(const OptionText& option) {
  std::vector<std::string> words;
  if (option.value.find('|') == std::string::npos) return words;
  std::istringstream stream(option.value);
  for (std::string word; std::getline(stream, word, '|');) words.push_back(word);
  return words;
}

}  // namespace gradproof
