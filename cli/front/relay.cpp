// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/front/cases.h"
#include "cli/front/printed_commands.h"
#include "cli/front/relayed_verb.h"
#include "cli/front/runs/cell_run.h"
#include "cli/front/started.h"
#include "cli/front/terminal/paint.h"
#include "cli/front/verbs.h"
#include "cli/process/paths.h"
#include "core/case/case_file.h"
#include "core/error.h"

namespace gradproof {
int relay(Session& session, const Options& options, const Request& request) {
  return RelayedVerb(session, options, request).run();
}

int run_explain(const Options& options) {
  Interrupt interrupt;
  const auto [session, planned] = started(options, interrupt);
  const std::string text = to_string(planned.cases.front());
  return relay(
      *session, options,
      ExplainRequest{text, options.element, options.json, commands_of(options).replay(text)});
}

int run_coverage(const Options& options) {
  const Interrupt interrupt;
  Session session(worker_program(options.worker), options.deadline, interrupt);
  const std::string suite = options.suite.empty() ? "push" : options.suite;
  CoverageRequest request;
  request.kernels = options.kernels;
  request.write = options.write;
  request.json = options.json;
  request.lines = suites_directory() + "/../coverage.json";
  request.ledger = fmt::format("{}/{}.ledger", suites_directory(), suite);
  if (!options.cases_file.empty()) {
    request.files = {options.cases_file};
    return relay(session, options, request);
  }
  request.triples = suite == "nightly";
  // What was written before is written anew.
  request.files = suite_files(suite_file(suite));
  if (!options.write.empty()) request.files.resize(1);
  if (request.triples)
    for (const std::string& file : suite_files(suite_file("push"))) request.files.push_back(file);
  return relay(session, options, request);
}

int audit_column(const Options& options, Session& session, const Planned& planned) {
  if (planned.cases.size() != 1)
    throw UsageError(fmt::format("--column {} is about one case; {} were given", options.column,
                                 planned.cases.size()));
  return relay(session, options,
               ColumnRequest{to_string(planned.cases.front()), options.column, options.json});
}

int run_calibrate(const Options& options) {
  const Interrupt interrupt;
  const auto session = started_lab(options, interrupt);
  CalibrateRequest request{options.calibration, options.count, options.seed, options.kernels, "",
                           options.json,        options.sizes};
  if (options.calibration == "power") request.suite = suites_directory() + "/push.cases";
  return run_long_verb(options, *session, request);
}

int run_bench(const Options& options) {
  const Interrupt interrupt;
  const auto session = started_lab(options, interrupt);
  return relay(*session, options, BenchRequest{options.bench});
}

int run_exhaustive(const Options& options) {
  const Interrupt interrupt;
  const auto session = started_lab(options, interrupt);
  return run_long_verb(
      options, *session,
      ExhaustiveRequest{options.kernels, options.dtype, options.part, options.json});
}

int run_search(const Options& options) {
  const Interrupt interrupt;
  const auto session = started_lab(options, interrupt);
  constexpr double kSeconds = 60;  // where neither these nor Cases were asked for
  const double seconds = options.count > 0 ? 0 : options.seconds > 0 ? options.seconds : kSeconds;
  return run_long_verb(options, *session,
                       SearchRequest{options.kernels, options.dtype, options.count, seconds,
                                     options.seed, options.keep, options.json});
}

}  // namespace gradproof
