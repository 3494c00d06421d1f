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
}

}  // namespace

void add_records(CLI::App& verb, Options& o) {
  CLI::Option* records =
      verb.add_option("--records", o.records, "directory that takes the records, for report")
          ->type_name("DIR");
  verb.add_flag("--resume", o.resume, "go on with the last such run in --records: what is missing")
      ->needs(records);
  CLI::Option* plan = verb.add_option("--plan", o.plan, "file that `gradproof plan` wrote")
                          ->type_name("FILE")
                          ->excludes("--with");
  verb.add_option_function<std::string>(
          "--shard", [&o](const std::string& text) { o.shard = *parse_shard(text); },
          "the I-th of N parts of the plan, from 1")
      ->type_name("I/N")
      ->check(is_shard())
      ->needs(plan);
}

void add_reports(CLI::App& app, Options& o) {
  CLI::App* report = add_silent_verb(app, o, "report", "report", "render the records of a run");
  report->footer("gradproof report records --against push.baseline --format markdown");
  report->add_option("DIR", o.directory, "what --records took")->type_name("DIR")->required();
  choose(report->add_option("--format", o.format, "what it is written in"), {"text", "markdown"})
      ->capture_default_str();
  report->add_option("--against", o.against, "baseline file to compare with")->type_name("FILE");
  report->add_option("--run", o.run, "this run")->type_name("RUN")->default_str("the last");
  report->add_flag("--runs", o.runs, "a list of the runs, and nothing else")
      ->excludes("--against")
      ->excludes("--run");
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
  add_merge(app, o);
}

}  // namespace gradproof
