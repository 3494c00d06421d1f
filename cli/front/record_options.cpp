// SPDX-License-Identifier: Apache-2.0
#include "cli/front/record_options.h"

#include "cli/front/option_checks.h"

namespace gradproof {
namespace {

CLI::App* add_silent_verb(CLI::App& app, Options& o, const std::string& name,
                          const std::string& verb, const std::string& help) {
  CLI::App* added = app.add_subcommand(name, help);
  added->callback([&o, verb] { o.verb = verb; });
  return added;
}

void add_merge(CLI::App& app, Options& o) {
  CLI::App* merge =
      add_silent_verb(app, o, "merge", "merge", "one run out of the shards of a plan");
  merge->footer("gradproof merge shard1 shard2 --into whole");
  merge->add_option("DIR", o.folders, "what --records of the shards took")
      ->type_name("DIR")
      ->required();
  merge->add_option("--into", o.directory, "directory that takes the run")
      ->type_name("DIR")
      ->required()
      ->expected(1);
  merge->add_option("--worker", o.worker, "program that sums up cells")
      ->type_name("PROGRAM")
      ->default_str("gradproof-lab");
}

void add_report(CLI::App& app, Options& o) {
  CLI::App* report = add_silent_verb(app, o, "report", "report", "render the records of a run");
  report->footer(
      "gradproof report records --against push.baseline --format html,junit --output reports");
  report->add_option("DIR", o.directory, "what --records took")->type_name("DIR")->required();
  report->add_option("--format", o.format, "one, or several with commas")
      ->type_name("text|markdown|html|junit|json|github|sarif")
      ->capture_default_str();
  report->add_option("--output", o.output, "file for one format, folder for several")
      ->type_name("PATH")
      ->default_str("standard output");
  report->add_option("--against", o.against, "baseline file to compare with")->type_name("FILE");
  report->add_option("--history", o.history, "folders of runs before, for the trend")
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  report->add_option("--source", o.source, "file of a kernel, for annotations: 'src/{kernel}.cu'")
      ->type_name("PATTERN");
  report->add_option("--run", o.run, "this run")->type_name("RUN")->default_str("the last");
  CLI::Option* runs = report->add_flag("--runs", o.runs, "a list of the runs, and nothing else");
  for (const char* other : {"--against", "--run", "--history", "--format", "--output"})
    runs->excludes(other);
}

void add_baseline(CLI::App& app, Options& o) {
  CLI::App* baseline = app.add_subcommand("baseline", "what was accepted before");
  baseline->require_subcommand(1);
  CLI::App* update = add_silent_verb(*baseline, o, "update", "baseline update",
                                     "write a run's figures to the file");
  update->footer("gradproof baseline update push.baseline --from records --reason 'new kernel'");
  update->add_option("FILE", o.baseline, "the baseline file")->type_name("FILE")->required();
  update->add_option("--from", o.directory, "what --records took")->type_name("DIR")->required();
  update->add_option("--run", o.run, "this run")->type_name("RUN")->default_str("the last");
  update->add_option("--reason", o.reason, "why these figures are accepted; kept in the file")
      ->type_name("TEXT")
      ->required();
  update->add_option("--ledger", o.ledger, "who may go over a ceiling")
      ->type_name("FILE")
      ->default_str("FILE.ledger");
  update->add_flag("--repeated", o.repeated,
                   "the folder's other runs of the same build and plan measure the noise");
}

}  // namespace

void add_records(CLI::App& verb, Options& o, const std::vector<std::string>& planned) {
  CLI::Option* records =
      verb.add_option("--records", o.records, "directory that takes the records, for report")
          ->type_name("DIR");
  verb.add_flag("--resume", o.resume, "go on with the last such run in --records: what is missing")
      ->needs(records);
  CLI::Option* plan =
      verb.add_option("--plan", o.plan, "file with a plan of it")->type_name("FILE");
  for (const std::string& other : planned) plan->excludes(other);
  verb.add_option_function<std::string>(
          "--shard", [&o](const std::string& text) { o.shard = *parse_shard(text); },
          "the I-th of N parts of the plan, from 1")
      ->type_name("I/N")
      ->check(is_shard())
      ->needs(plan);
}

void add_cell_records(CLI::App& verb, Options& o, std::vector<std::string> planned) {
  verb.add_flag("--print-plan", o.print_plan, "print its plan, for --plan, and do nothing else");
  planned.emplace_back("--print-plan");
  add_records(verb, o, planned);
}

void add_reports(CLI::App& app, Options& o) {
  add_report(app, o);
  add_baseline(app, o);
  add_merge(app, o);
}

}  // namespace gradproof
