// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/cases.h"
#include "cli/front/command_line/verb_options.h"
#include "cli/front/option_checks.h"
#include "cli/front/record_options.h"

namespace gradproof {
namespace {

constexpr const char* kCase = "'kernel key=value ...', in quotes";

/// Adds the options for the source of cases, for plan, check and audit.
void add_sources(CLI::App& verb, Options& o) {
  verb.add_option("CASE", o.cases, kCase);
  add_pipeline(verb, o);
  verb.add_option("--cases", o.cases_file, "file with one case a line; # starts a comment")
      ->type_name("FILE");
  const std::string suites = fmt::format("{}", fmt::join(known_suites(), " "));
  verb.add_option("--suite", o.suite, "cases that come with the program: " + suites)
      ->type_name("SUITE");
  verb.add_option("--with", o.changes, "for every case; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb.add_option("--memory", o.memory, "what the cases under way may take together")
      ->type_name("GIB")
      ->default_str("what is available")
      ->check(above_zero());
}

/// Adds the options for the output about cases.
void add_output(CLI::App& verb, Options& o) {
  CLI::Option* verbose =
      verb.add_flag("--verbose", o.verbose, "everything about every tensor, of many cases too");
  CLI::Option* quiet =
      verb.add_flag("--quiet", o.quiet, "what is wrong and the last line, no progress")
          ->excludes(verbose);
  verb.add_flag("--json", o.json, "JSON lines: each tensor, what is missing, the result")
      ->excludes(verbose)
      ->excludes(quiet);
}

void add_workers(CLI::App& verb, Options& o, const std::string& text, const std::string& usual) {
  verb.add_option("--workers", o.workers, text)
      ->type_name("N")
      ->default_str(usual)
      ->check(is_workers());
}

/// Adds the options for the run of cases and the place of their records, for check and audit.
void add_cases(CLI::App& verb, Options& o) {
  add_sources(verb, o);
  verb.add_option("--rerun-failed", o.rerun_failed,
                  "the cases that were wrong in the last run there")
      ->type_name("DIR");
  add_records(verb, o, {"--with"});
  add_workers(verb, o, "worker processes at once, no more than cases", "as many as cores");
  verb.add_option("--known-failures", o.known_failures,
                  "file of failures that are known: case, tensor, reason, date")
      ->type_name("FILE");
  verb.add_flag("--fail-fast", o.fail_fast, "stop at the first wrong case");
  add_output(verb, o);
}

void add_check(CLI::App& app, Options& o) {
  CLI::App* check =
      add_worker_verb(app, o,
                      {"check", "judge cases; the exit code is the verdict",
                       "gradproof check 'bias_divide_swish rows=33 cols=127' --records records"});
  add_cases(*check, o);
  CLI::Option* witness = check->add_option_function<std::string>(
      "--witness",
      [&o](const std::string& who) {
        if (who == "laws") o.changes.emplace_back("law=all");
      },
      "who judges: the truth and its bound, or laws alone");
  choose(witness, {"oracle", "laws"})->default_str("oracle");
  check->add_flag("--numbers", o.numbers,
                  "by which factor each number of a line may be off and is seen, of given tensors");
  check->add_flag("--no-shrink", o.no_shrink, "leave failing cases as they are");
  add_candidates(*check, o);
}

void add_audit(CLI::App& app, Options& o) {
  CLI::App* audit =
      add_worker_verb(app, o,
                      {"audit", "every gradient entry against finite differences",
                       "gradproof audit 'bias_divide_swish rows=4 cols=3' --entries sample:8"});
  add_cases(*audit, o);
  audit->add_flag("--all", o.all, "every system in every mode and dtype, instead of cases");
  audit
      ->add_option_function<std::string>(
          "--entries", [&o](const std::string& text) { o.entries = sample_size(text).value_or(0); },
          "all, or so many of each tensor")
      ->type_name("all|sample:N")
      ->default_str("all")
      ->check(is_entries());
  choose(audit->add_option("--digits", o.digits, "to which entries are computed"), {"20", "33"})
      ->capture_default_str();
  audit->add_flag("--direct", o.direct, "every number moved by itself, whatever that costs");
  CLI::Option* column = audit
                            ->add_option("--column", o.column,
                                         "instead of gradients: all of y's derivatives by x[3,7]")
                            ->type_name("TENSOR[INDEX]")
                            ->check(is_column());
  for (const char* other : {"--entries", "--known-failures", "--digits", "--direct", "--records",
                            "--verbose", "--quiet", "--fail-fast", "--workers", "--plan"})
    column->excludes(other);
}

void add_plan(CLI::App& app, Options& o) {
  CLI::App* plan = add_worker_verb(
      app, o, {"plan", "the cases as lines, for check --plan", "gradproof plan --suite push"});
  add_sources(*plan, o);
  choose(plan->add_option("--kind", o.kind, "the verb that it is for"), {"check", "audit"})
      ->capture_default_str();
  plan->add_flag("--all", o.all, "of audit: every system in every mode and dtype");
}

void add_single_cases(CLI::App& app, Options& o) {
  CLI::App* replay =
      add_worker_verb(app, o,
                      {"replay", "judge one case and print the digest of its bits",
                       "gradproof replay 'bias_divide_swish rows=33 cols=127 seed=7'"});
  replay->add_option("CASE", o.cases, kCase)->required();
  replay->add_option("--memory", o.memory, "what it may take")
      ->type_name("GIB")
      ->default_str("what is available")
      ->check(above_zero());
  CLI::App* explain = add_worker_verb(app, o,
                                      {"explain", "why one element is right or wrong, in full",
                                       "gradproof explain 'bias_divide_swish rows=4' d_x[3,0]"});
  explain
      ->add_option_function<std::string>(
          "CASE", [&o](const std::string& text) { o.cases = {text}; }, kCase)
      ->required();
  explain->add_option("ELEMENT", o.element, "d_x[3,7], d_x or 3,7")->default_str("the worst");
  explain->add_flag("--json", o.json, "JSON lines");
}

/// Adds the verb judge, which takes tensors from a run of anything.
void add_judge(CLI::App& app, Options& o) {
  CLI::App* judge = add_worker_verb(app, o,
                                    {"judge", "tensors that anything produced",
                                     "gradproof judge --pipeline 'y = tanh(x)' --inputs "
                                     "in.safetensors --outputs out.safetensors"});
  add_pipeline(*judge, o);
  for (CLI::Option* files :
       {judge->add_option("--inputs", o.inputs,
                          "safetensors or npz: tensors by name, and cotangents, dy of the output "
                          "y; may be repeated, each with its --outputs"),
        judge->add_option("--outputs", o.outputs,
                          "outputs by name, and gradients: d_x of the input x")})
    files->type_name("FILE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->required();
  judge->add_option("--contract", o.contract, "of what computed them (docs/contracts.md)")
      ->type_name("'KEY=WORD ...'")
      ->default_str("the first rung on which it passes");
  choose(judge->add_option("--bound", o.bound, "which error is permitted (docs/likely.md)"),
         {"likely", "certain"})
      ->default_str("likely, then certain");
  judge
      ->add_option("--further", o.further,
                   "so many sets behind the first are of further calls: judged if it is right")
      ->check(CLI::Range(0, kMostFurther))
      ->default_str("none");
  choose(judge->add_option("--elements", o.elements, "judged of products that take long"),
         {"sampled", "all"})
      ->default_str("sampled");
  judge->add_option("--name", o.name, "what reports call it");
  judge->add_option("--memory", o.memory, "what it may take")
      ->type_name("GIB")
      ->default_str("what is available")
      ->check(above_zero());
  judge->add_option("--records", o.records, "directory that takes the records, for report")
      ->type_name("DIR");
  add_output(*judge, o);
}

/// Adds the verbs that give a graph to code of other languages.
void add_graph_verbs(CLI::App& app, Options& o) {
  CLI::App* inputs =
      add_verb(app, o,
               {"inputs", "write the tensors that check draws for a graph's Case",
                "gradproof inputs '{y = tanh(x)} rows=4 cols=8' --output in.safetensors"});
  CLI::App* python = add_verb(app, o,
                              {"python", "print a graph as a function of PyTorch",
                               "gradproof python '{y = tanh(x)} rows=4 cols=8'"});
  for (CLI::App* verb : {inputs, python}) {
    verb->add_option_function<std::string>(
        "CASE", [&o](const std::string& text) { o.cases = {text}; }, kCase);
    add_pipeline(*verb, o);
  }
  python->add_flag("--describe", o.described,
                   "JSON instead: tensors, axes, outputs, gradients, numbers, operations");
  inputs->add_option("--output", o.output, "file in the format safetensors")
      ->type_name("FILE")
      ->required();
  CLI::App* serve = add_verb(
      app, o,
      {"serve", "answer command lines from standard input, a JSON line each", "gradproof serve"});
  add_workers(*serve, o, "worker processes for the sets of one judge",
              "as many as cores, at most 4");
}

}  // namespace

void add_case_verbs(CLI::App& app, Options& o) {
  add_check(app, o);
  add_judge(app, o);
  add_graph_verbs(app, o);
  add_describe(app, o);
  add_audit(app, o);
  add_single_cases(app, o);
  add_plan(app, o);
}

}  // namespace gradproof
