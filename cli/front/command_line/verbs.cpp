// SPDX-License-Identifier: Apache-2.0
#include "cli/front/command_line/verb_options.h"
#include "cli/front/option_checks.h"

namespace gradproof {

CLI::App* add_verb(CLI::App& app, Options& o, const VerbName& verb) {
  CLI::App* added = app.add_subcommand(verb.name, verb.help);
  added->footer(verb.example);
  added->callback([&o, name = verb.name] { o.verb = name; });
  return added;
}

CLI::App* add_worker_verb(CLI::App& app, Options& o, const VerbName& verb) {
  CLI::App* added = add_verb(app, o, verb);
  added->add_option("--worker", o.worker, "program that has the kernels")
      ->type_name("PROGRAM")
      ->default_str("gradproof-worker beside gradproof");
  added
      ->add_option("--deadline", o.deadline,
                   "for each request (and 5 us an element), then the worker is ended")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(above_zero());
  return added;
}

}  // namespace gradproof
