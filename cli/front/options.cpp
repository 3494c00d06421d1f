// SPDX-License-Identifier: Apache-2.0
#include "cli/front/options.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/cases.h"
#include "cli/front/option_checks.h"
#include "cli/front/record_options.h"
#include "core/case/schema.h"
#include "core/error.h"

namespace gradproof {
namespace {

const std::vector<std::string> kVerbs{"list",     "check",     "replay",   "explain",    "doctor",
                                      "audit",    "calibrate", "bench",    "exhaustive", "search",
                                      "coverage", "report",    "baseline", "plan",       "merge"};

bool is_verb(const std::string& word) {
  return std::find(kVerbs.begin(), kVerbs.end(), word) != kVerbs.end();
}

void refuse_verbs(const std::vector<std::string>& words) {
  if (words.empty()) throw UsageError(fmt::format("no verb; known: {}", fmt::join(kVerbs, " ")));
  const std::string& verb = words.front();
  if (verb.starts_with('-')) return;  // --help, --version
  if (!is_verb(verb))
    throw UsageError(fmt::format("unknown verb '{}'; known: {}", verb, fmt::join(kVerbs, " ")));
  // Files may have any name, and calibrate knows an audit of its own.
  if (verb == "report" || verb == "baseline" || verb == "calibrate" || verb == "merge") return;
  for (std::size_t i = 1; i < words.size(); ++i)
    if (is_verb(words[i]) && !words[i - 1].starts_with("--"))
      throw UsageError(fmt::format("two verbs, '{}' and '{}'; one at a time", verb, words[i]));
}

constexpr const char* kEmpty = "its text is empty";
/// CLI11 takes the next word for the value of `--records=`.
void refuse_bare_equals(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      throw UsageError(fmt::format("{}: {}", word.substr(0, word.size() - 1), kEmpty));
}

/// One rule for all that take a text: an empty one is most often a variable that was not set, and
/// what it was to ask for (a comparison, a worker, a file) must not be left out in silence.
void refuse_empty_texts(CLI::App& app) {
  const auto not_empty = [](const std::string& s) { return s.empty() ? kEmpty : std::string(); };
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() > 0) option->check(not_empty);
  for (CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    refuse_empty_texts(*verb);
}

CLI::App* add_verb(CLI::App& app, Options& o, const std::string& name, const std::string& help) {
  CLI::App* verb = app.add_subcommand(name, help);
  verb->callback([&o, name] { o.verb = name; });
  return verb;
}

/// The options of every verb that talks to a worker.
CLI::App* add_worker_verb(CLI::App& app, Options& o, const std::string& name,
                          const std::string& help) {
  CLI::App* verb = add_verb(app, o, name, help);
  verb->add_option("--worker", o.worker,
                   "program that has the kernels; gradproof-worker beside us");
  verb->add_option("--deadline", o.deadline,
                   "seconds for each request (and 5 us an element), then the worker is ended")
      ->check(above_zero());
  return verb;
}

/// Where cases come from, for plan, check and audit.
void add_sources(CLI::App& verb, Options& o) {
  verb.add_option("CASE", o.cases, "'kernel key=value ...', in quotes");
  verb.add_option("--cases", o.cases_file, "file with one case a line; # starts a comment");
  const std::string suites = fmt::format("{}", fmt::join(known_suites(), " "));
  verb.add_option("--suite", o.suite, "cases that come with the program: " + suites);
  verb.add_option("--with", o.changes, "KEY=VALUE for every case; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb.add_option("--memory", o.memory, "GiB that the cases under way may take together")
      ->check(above_zero());
}

/// How cases are run and where their records go, for check and audit.
void add_cases(CLI::App& verb, Options& o) {
  add_sources(verb, o);
  add_records(verb, o);
  verb.add_option("--workers", o.workers,
                  "worker processes at once; as many as cores, and no more than cases")
      ->check(is_workers());
  verb.add_flag("--fail-fast", o.fail_fast, "stop at the first wrong case");
  verb.add_flag("--verbose", o.verbose, "everything about every tensor, of many cases too");
}

void add_check(CLI::App& app, Options& o) {
  CLI::App* check = add_worker_verb(app, o, "check", "judge cases; the exit code is the verdict");
  add_cases(*check, o);
  check
      ->add_option_function<std::string>(
          "--witness",
          [&o](const std::string& who) {
            if (who == "laws") o.changes.emplace_back("law=all");
          },
          "who judges: oracle (the truth and its bound), or laws alone")
      ->check(CLI::IsMember({"oracle", "laws"}));
  check->add_flag("--no-shrink", o.no_shrink, "leave failing cases as they are");
}

void add_audit(CLI::App& app, Options& o) {
  CLI::App* audit =
      add_worker_verb(app, o, "audit", "every gradient entry against finite differences");
  add_cases(*audit, o);
  audit->add_flag("--all", o.all, "every system in every mode and dtype, instead of cases");
  audit
      ->add_option_function<std::string>(
          "--entries", [&o](const std::string& text) { o.entries = sample_size(text).value_or(0); },
          "all, or sample:N of each tensor")
      ->check(is_entries());
  audit->add_option("--digits", o.digits, "20 or 33")->check(CLI::IsMember({20, 33}));
  audit->add_flag("--direct", o.direct, "every number moved by itself, whatever that costs");
  CLI::Option* column = audit
                            ->add_option("--column", o.column,
                                         "instead of gradients: all of y's derivatives by x[3,7]")
                            ->check(is_column());
  audit->add_flag("--json", o.json, "one JSON line for each tensor");
  for (const char* other : {"--entries", "--digits", "--direct", "--records", "--verbose",
                            "--fail-fast", "--workers", "--plan"})
    column->excludes(other);
}

void add_plan(CLI::App& app, Options& o) {
  CLI::App* plan = add_worker_verb(app, o, "plan", "the cases as lines, for check --plan");
  add_sources(*plan, o);
  plan->add_option("--kind", o.kind, "the verb that it is for: check or audit")
      ->check(CLI::IsMember({"check", "audit"}));
  plan->add_flag("--all", o.all, "of audit: every system in every mode and dtype");
}

void add_single_cases(CLI::App& app, Options& o) {
  CLI::App* replay =
      add_worker_verb(app, o, "replay", "judge one case and print the digest of its bits");
  replay->add_option("CASE", o.cases, "'kernel key=value ...', in quotes")->required();
  replay->add_option("--memory", o.memory, "GiB that it may take")->check(above_zero());
}

/// Verbs whose text the worker writes.
void add_relayed(CLI::App& app, Options& o) {
  CLI::App* explain =
      add_worker_verb(app, o, "explain", "why one element is right or wrong, in full");
  explain
      ->add_option_function<std::string>(
          "CASE", [&o](const std::string& text) { o.cases = {text}; },
          "'kernel key=value ...', in quotes")
      ->required();
  explain->add_option("ELEMENT", o.element, "d_x[3,7], d_x or 3,7; else the worst there is");
  CLI::App* calibrate =
      add_worker_verb(app, o, "calibrate", "the judge itself: is it fair, tight, strong?");
  calibrate->add_option("WHAT", o.calibration, "fair, tight, power, audit or laws")
      ->required()
      ->check(CLI::IsMember({"fair", "tight", "power", "audit", "laws"}));
  calibrate->add_option("--cases", o.count, "random cases")->check(CLI::PositiveNumber);
  calibrate->add_option("--seed", o.seed, "of what is random")->check(CLI::NonNegativeNumber);
  calibrate->add_option("--kernel", o.kernels, "only this one; may be repeated");
  CLI::App* exhaustive =
      add_worker_verb(app, o, "exhaustive", "elementwise systems on every number of a dtype");
  exhaustive->add_option("KERNEL", o.kernels, "only these");
  exhaustive->add_option("--dtype", o.dtype, "f16, bf16 or f32; f16 and bf16 where not given")
      ->check(CLI::IsMember({"f16", "bf16", "f32"}));
  exhaustive->add_option("--part", o.part, "K/N: the K-th of N parts of the inputs, from 0");
  for (CLI::App* verb : {explain, calibrate, exhaustive})
    verb->add_flag("--json", o.json, "JSON lines");
}

void add_search(CLI::App& app, Options& o) {
  CLI::App* search =
      add_worker_verb(app, o, "search", "the Cases in which a kernel comes nearest to its bound");
  search->add_option("KERNEL", o.kernels, "only these; KERNEL/MUTANT for a wrong one");
  search->add_option("--dtype", o.dtype, "f32, f64, f16, bf16 or mixed (f16, parameters in f32)")
      ->check(CLI::IsMember({"f32", "f64", "f16", "bf16", "mixed"}));
  CLI::Option* seconds =
      search->add_option("--seconds", o.seconds, "of all searches together; 60 where not given")
          ->check(above_zero());
  search->add_option("--cases", o.count, "of each search, instead: finds the same each time")
      ->check(CLI::PositiveNumber)
      ->excludes(seconds);
  search->add_option("--seed", o.seed, "of what is random")->check(CLI::NonNegativeNumber);
  search->add_option("--keep", o.keep, "case file that takes the worst Case of each tensor");
  search->add_flag("--json", o.json, "JSON lines");
}

void add_coverage(CLI::App& app, Options& o) {
  CLI::App* coverage =
      add_worker_verb(app, o, "coverage", "which pairs of classes a suite has, and which it lacks");
  coverage->add_option("KERNEL", o.kernels, "only these");
  CLI::Option* suite = coverage->add_option("--suite", o.suite, "push where not given");
  coverage->add_option("--cases", o.cases_file, "a case file in place of a suite")->excludes(suite);
  coverage->add_option("--write", o.write, "folder that takes a case file of what a kernel lacks");
  coverage->add_flag("--json", o.json, "JSON lines");
}

}  // namespace

Options parse_options(int count, const char* const* arguments) {
  refuse_verbs({arguments + 1, arguments + count});
  refuse_bare_equals({arguments + 1, arguments + count});
  Options o;
  o.command.assign(arguments, arguments + count);
  CLI::App app{"gradproof: does this fused kernel compute what it claims?", "gradproof"};
  app.set_version_flag("--version", "gradproof " GRADPROOF_VERSION);
  app.require_subcommand(1);
  CLI::App* list = add_worker_verb(app, o, "list", "kernels, their keys, defaults and choices");
  list->add_option("KERNEL", o.kernel, "only this one; or 'laws': which law holds of which");
  add_check(app, o);
  add_single_cases(app, o);
  add_audit(app, o);
  add_plan(app, o);
  add_worker_verb(app, o, "doctor", "what is installed, what is missing, what to do");
  CLI::App* bench = add_worker_verb(app, o, "bench", "timings");
  bench->add_option("WHAT", o.bench, "executor, kernels or oracle")
      ->required()
      ->check(CLI::IsMember({"executor", "kernels", "oracle"}));
  add_relayed(app, o);
  add_search(app, o);
  add_coverage(app, o);
  add_reports(app, o);
  refuse_empty_texts(app);
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    const CLI::App* chosen = &app;
    while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
    throw HelpRequest{chosen->help()};
  } catch (const CLI::CallForVersion&) {
    throw HelpRequest{"gradproof " GRADPROOF_VERSION "\n"};
  } catch (const CLI::ParseError& error) {
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    throw UsageError(fmt::format("{} (gradproof {} --help)", text, arguments[1]));
  }
  return o;
}

}  // namespace gradproof
