// SPDX-License-Identifier: Apache-2.0
#include "cli/front/command_line/verb_options.h"
#include "cli/front/option_checks.h"
#include "cli/front/record_options.h"

namespace gradproof {
namespace {

void add_calibrate(CLI::App& app, Options& o) {
  CLI::App* calibrate =
      add_worker_verb(app, o,
                      {"calibrate", "the judge itself: is it fair, tight, strong?",
                       "gradproof calibrate fair --cases 500"});
  choose(calibrate->add_option("WHAT", o.calibration, "what of the judge is tried"),
         {"fair", "tight", "power", "audit", "laws", "graphs", "likely", "sizes"})
      ->required();
  calibrate->add_option("--cases", o.count, "random cases")
      ->type_name("N")
      ->default_str("the calibration's own number")
      ->check(whole_from(1));
  calibrate->add_option("--seed", o.seed, "of what is random")
      ->type_name("N")
      ->capture_default_str()
      ->check(whole_from(0));
  calibrate->add_option("--kernel", o.kernels, "only this one; may be repeated")
      ->type_name("KERNEL");
  calibrate->add_option("--sizes", o.sizes, "of sizes: terms of its long sums, with commas")
      ->type_name("N,...")
      ->delimiter(',')
      ->default_str("64 to 65536")
      ->check(whole_from(1));
  calibrate->add_flag("--json", o.json, "JSON lines");
  add_cell_records(*calibrate, o, {"--cases", "--seed", "--kernel", "--sizes"});
}

void add_exhaustive(CLI::App& app, Options& o) {
  CLI::App* exhaustive =
      add_worker_verb(app, o,
                      {"exhaustive", "elementwise systems on every number of a dtype",
                       "gradproof exhaustive swish_bias --dtype f16"});
  exhaustive->add_option("KERNEL", o.kernels, "only these");
  choose(exhaustive->add_option("--dtype", o.dtype, "whose numbers"), {"f16", "bf16", "f32"})
      ->default_str("f16 and bf16");
  exhaustive->add_option("--part", o.part, "the K-th of N parts of the inputs, from 0")
      ->type_name("K/N");
  exhaustive->add_flag("--json", o.json, "JSON lines");
  add_cell_records(*exhaustive, o, {"KERNEL", "--dtype", "--part"});
}

void add_search(CLI::App& app, Options& o) {
  CLI::App* search =
      add_worker_verb(app, o,
                      {"search", "the Cases in which a kernel comes nearest to its bound",
                       "gradproof search swish_bias --dtype f32 --seconds 10"});
  search->add_option("KERNEL", o.kernels, "only these; KERNEL/MUTANT for a wrong one");
  choose(search->add_option("--dtype", o.dtype, "only this; mixed is f16 with parameters in f32"),
         {"f32", "f64", "f16", "bf16", "mixed"});
  CLI::Option* seconds = search->add_option("--seconds", o.seconds, "of all searches together")
                             ->type_name("SECONDS")
                             ->default_str("60")
                             ->check(above_zero());
  search->add_option("--cases", o.count, "of each search, instead: finds the same each time")
      ->type_name("N")
      ->check(whole_from(1))
      ->excludes(seconds);
  search->add_option("--seed", o.seed, "of what is random")
      ->type_name("N")
      ->capture_default_str()
      ->check(whole_from(0));
  search->add_option("--keep", o.keep, "case file that takes the worst Case of each tensor")
      ->type_name("FILE");
  search->add_flag("--json", o.json, "JSON lines");
  add_cell_records(*search, o, {"KERNEL", "--dtype", "--seconds", "--cases", "--seed"});
}

void add_coverage(CLI::App& app, Options& o) {
  CLI::App* coverage = add_worker_verb(
      app, o,
      {"coverage", "which classes a suite has, alone and together, and which it lacks",
       "gradproof coverage swish_bias --suite push"});
  coverage->add_option("KERNEL", o.kernels, "only these");
  CLI::Option* suite = coverage->add_option("--suite", o.suite, "cases that come with the program")
                           ->type_name("SUITE")
                           ->default_str("push");
  coverage->add_option("--cases", o.cases_file, "a case file in place of a suite")
      ->type_name("FILE")
      ->excludes(suite);
  coverage->add_option("--write", o.write, "folder that takes a case file of what a kernel lacks")
      ->type_name("DIR");
  coverage->add_flag("--json", o.json, "JSON lines");
}

}  // namespace

void add_other_verbs(CLI::App& app, Options& o) {
  CLI::App* list = add_worker_verb(
      app, o, {"list", "kernels, their keys, defaults and choices", "gradproof list swish_bias"});
  list->add_option(
      "KERNEL", o.kernel,
      "only this one; 'laws': which law holds of which; 'chains': chains of additions, declared "
      "and measured; 'stages': words of --pipeline; 'claims': names of --claim");
  list->add_option("CASE", o.cases,
                   "of 'chains' and 'laws': these in place of its own; of 'stages' and 'claims': "
                   "those with this text "
                   "in their names");
  CLI::App* doctor = add_worker_verb(
      app, o, {"doctor", "what is installed, what is missing, what to do", "gradproof doctor"});
  doctor->add_flag("--json", o.json, "one JSON object");
  CLI::App* bench = add_worker_verb(app, o, {"bench", "timings", "gradproof bench executor"});
  choose(bench->add_option("WHAT", o.bench, "what is timed"), {"executor", "kernels", "oracle"})
      ->required();
  add_calibrate(app, o);
  add_exhaustive(app, o);
  add_search(app, o);
  add_coverage(app, o);
}

void add_help_verbs(CLI::App& app, Options& o) {
  CLI::App* help = add_verb(app, o, {"help", "the same as VERB --help", "gradproof help check"});
  help->add_option("VERB", o.folders, "one of these; all where none is given");
  CLI::App* completion = add_verb(
      app, o,
      {"completion", "what makes a shell complete gradproof's words", "gradproof completion bash"});
  choose(completion->add_option("SHELL", o.shell, "whose"), {"bash", "zsh"})->required();
  add_verb(app, o, {"man", "the manual page, for man -l", "gradproof man"});
}

}  // namespace gradproof
