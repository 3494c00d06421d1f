// SPDX-License-Identifier: Apache-2.0
#include "cli/front/options.h"

#include <algorithm>
#include <mutex>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/command_line/claims.h"
#include "cli/front/command_line/completion.h"
#include "cli/front/command_line/description.h"
#include "cli/front/command_line/help.h"
#include "cli/front/command_line/man_page.h"
#include "cli/front/command_line/verb_options.h"
#include "cli/front/option_checks.h"
#include "cli/front/record_options.h"
#include "core/error.h"
#include "core/nearest_word.h"

namespace gradproof {
namespace {

using Words = std::vector<std::string>;

Words verbs_of(const CLI::App& app) {
  Words verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    verbs.push_back(verb->get_name());
  return verbs;
}

bool is_one_of(const Words& known, const std::string& word) {
  return std::find(known.begin(), known.end(), word) != known.end();
}

void refuse_unknown_verb(const Words& verbs, const std::string& verb) {
  if (is_one_of(verbs, verb)) return;
  throw UsageError(fmt::format("unknown verb '{}'; known: {}{}", verb, fmt::join(verbs, " "),
                               did_you_mean(verb, verbs)));
}

void refuse_verbs(const Words& verbs, const Words& words) {
  if (words.empty()) throw UsageError(fmt::format("no verb; known: {}", fmt::join(verbs, " ")));
  const std::string& verb = words.front();
  if (verb.starts_with('-')) return;  // --help, --version
  refuse_unknown_verb(verbs, verb);
  // Files may have any name, and calibrate knows an audit of its own.
  if (is_one_of({"report", "baseline", "calibrate", "merge", "help"}, verb)) return;
  for (std::size_t i = 1; i < words.size(); ++i)
    if (is_one_of(verbs, words[i]) && !words[i - 1].starts_with("--"))
      throw UsageError(fmt::format("two verbs, '{}' and '{}'; one at a time", verb, words[i]));
}

constexpr const char* kEmpty = "its text is empty";
/// Refuses `--records=`, for CLI11 takes the next word for its value.
void refuse_bare_equals(const Words& words) {
  for (const std::string& word : words)
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      throw UsageError(fmt::format("{}: {}", word.substr(0, word.size() - 1), kEmpty));
}

/// Every option that takes a text refuses an empty one: it is most often a variable that was not
/// set, and what it was to ask for (a comparison, a worker, a file) must not be left out.
void refuse_empty_texts(CLI::App& app) {
  const auto not_empty = [](const std::string& s) { return s.empty() ? kEmpty : std::string(); };
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() > 0) option->check(CLI::Validator(not_empty, ""));
  for (CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    refuse_empty_texts(*verb);
}

/// True for `rows=3` where a Case is expected: the shell split a Case without quotes.
bool is_lost_key(const std::string& word) {
  return !word.starts_with('-') && word.find('=') != std::string::npos &&
         word.find_first_of(" \t") == std::string::npos;
}

void refuse_lost_keys(const std::string& verb, const Words& words) {
  const auto lost = std::find_if(words.begin(), words.end(), is_lost_key);
  if (lost == words.end()) return;
  throw UsageError(
      fmt::format("'{}' belongs to a Case, which is one argument, in quotes: gradproof {} '{}'",
                  *lost, verb, fmt::join(words, " ")));
}

const CLI::App& chosen_verb(const CLI::App& app) {
  const CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  return *chosen;
}

std::string name_of(const CLI::App& verb) {
  const CLI::App* const before = verb.get_parent();
  const bool nested = before != nullptr && before->get_parent() != nullptr;
  return nested ? name_of(*before) + " " + verb.get_name() : verb.get_name();
}

/// Throws UsageError about words that are no arguments of the verb, with what may have been meant.
[[noreturn]] void refuse_extras(const CLI::App& app, const Options& o) {
  const std::string verb = name_of(chosen_verb(app));
  const Words extras = app.remaining(true);
  const std::string& first = extras.front();
  if (!first.starts_with('-')) {
    Words words = o.cases;
    if (!o.element.empty()) words.push_back(o.element);
    words.insert(words.end(), extras.begin(), extras.end());
    refuse_lost_keys(verb, words);
    throw UsageError(
        fmt::format("'{}' is one argument too many (gradproof {} --help)", first, verb));
  }
  Words known;
  for (const CLI::Option* option : chosen_verb(app).get_options())
    if (!option->get_positional()) known.push_back(option->get_name());
  const std::string name = first.substr(0, first.find('='));
  throw UsageError(fmt::format("unknown option '{}'{} (gradproof {} --help)", name,
                               did_you_mean(name, known), verb));
}

/// Throws UsageError with CLI11's own message where something is missing or is no value.
[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  const CLI::App& verb = chosen_verb(app);
  throw UsageError(
      fmt::format("{} (gradproof {}--help)", text, &verb == &app ? "" : name_of(verb) + " "));
}

std::string help_on(const ProgramText& program, const std::string& name) {
  const std::vector<VerbText> verbs = verbs_named(program, name);
  std::string text;
  for (const VerbText& verb : verbs) text += (text.empty() ? "" : "\n") + help_text(verb);
  return text;
}

void parse(CLI::App& app, const Words& words) {
  // CLI11 takes them from the back.
  app.parse(Words(words.rbegin(), words.rend()));
}

/// Throws HelpRequest for the verbs help, completion and man, which do nothing else.
void answer_help(const CLI::App& app, const Options& o) {
  const ProgramText program = described(app);
  if (o.verb == "man") throw HelpRequest{man_page(program)};
  if (o.verb == "completion") throw HelpRequest{completion(program, o.shell)};
  if (o.verb != "help") return;
  if (o.folders.empty()) throw HelpRequest{help_text(program)};
  refuse_unknown_verb(verbs_of(app), o.folders.front());
  throw HelpRequest{help_on(program, fmt::format("{}", fmt::join(o.folders, " ")))};
}

/// The line of a Case, which has it in braces, may be given as it stands there.
std::string without_braces(const std::string& line) {
  const bool in_braces = line.starts_with('{') && line.ends_with('}');
  return in_braces ? line.substr(1, line.size() - 2) : line;
}

/// All verbs with their options, which write into one Options. They take as long to add as a small
/// check takes to answer, so that a process which is asked often (`gradproof serve`) adds them
/// once.
class CommandLine {
 public:
  CommandLine() : app_("does this fused kernel compute what it claims?", "gradproof") {
    app_.set_version_flag("-V,--version", "gradproof " GRADPROOF_VERSION);
    app_.require_subcommand(1);
    add_case_verbs(app_, o_);
    add_other_verbs(app_, o_);
    add_reports(app_, o_);
    add_help_verbs(app_, o_);
    refuse_empty_texts(app_);
  }
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// `command` is the program's name and the words behind it.
  Options parsed(const Words& command) {
    const Words words(command.begin() + 1, command.end());
    o_ = {};
    o_.command = command;
    refuse_verbs(verbs_of(app_), words);
    refuse_bare_equals(words);
    parse_words(words);
    o_.pipeline = without_braces(o_.pipeline);
    apply_claim(o_);
    Words cases = o_.cases;
    if (!o_.element.empty()) cases.push_back(o_.element);
    // Behind --pipeline a single key is a Case; several were one that the shell split.
    if (o_.pipeline.empty() || cases.size() > 1) refuse_lost_keys(o_.verb, cases);
    answer_help(app_, o_);
    if (!o_.bound.empty()) o_.contract += fmt::format(" bound={}", o_.bound);
    return o_;
  }

 private:
  void parse_words(const Words& words) {
    try {
      parse(app_, words);
    } catch (const CLI::CallForHelp&) {
      const CLI::App& verb = chosen_verb(app_);
      const ProgramText program = described(app_);
      throw HelpRequest{&verb == &app_ ? help_text(program) : help_on(program, name_of(verb))};
    } catch (const CLI::CallForVersion&) {
      throw HelpRequest{"gradproof " GRADPROOF_VERSION "\n"};
    } catch (const CLI::ExtrasError&) {
      refuse_extras(app_, o_);
    } catch (const CLI::ParseError& error) {
      refuse(app_, error);
    }
  }

  Options o_;
  CLI::App app_;
};

}  // namespace

Options parse_options(int count, const char* const* arguments) {
  static std::mutex mutex;
  static CommandLine line;
  const std::lock_guard lock(mutex);
  return line.parsed(Words(arguments, arguments + count));
}

}  // namespace gradproof
