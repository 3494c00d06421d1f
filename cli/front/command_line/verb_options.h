// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <CLI/CLI.hpp>

#include "cli/front/options.h"

namespace gradproof {

/// A verb by its name, what it does and a command line that one may type.
struct VerbName {
  std::string name;
  std::string help;
  std::string example;
};

/// A verb that needs no worker.
CLI::App* add_verb(CLI::App& app, Options& o, const VerbName& verb);
/// One that talks to a worker, with the options of all of these.
CLI::App* add_worker_verb(CLI::App& app, Options& o, const VerbName& verb);

/// A computation that no kernel of the catalog has.
void add_pipeline(CLI::App& verb, Options& o);
/// Adds the options by which check takes a file of Python or a library of LibTorch instead of
/// kernels.
void add_candidates(CLI::App& check, Options& o);
void add_describe(CLI::App& app, Options& o);

/// check, replay, audit, plan, explain.
void add_case_verbs(CLI::App& app, Options& o);
/// list, doctor, coverage, and those that gradproof-lab answers.
void add_other_verbs(CLI::App& app, Options& o);
/// help, completion, man.
void add_help_verbs(CLI::App& app, Options& o);

}  // namespace gradproof
