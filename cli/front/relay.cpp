// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

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

namespace {

/// A suite that is counted together with those before it, and how many classes must be together in
/// what they have.
struct Layer {
  const char* suite;
  int of_f32, of_others;
};
constexpr std::array<Layer, 3> kLayers{{{"push", 2, 1}, {"pairs", 2, 2}, {"nightly", 3, 3}}};

/// The suite's files; without its folder, which is written anew.
std::vector<std::string> files_to_count(const std::string& suite, bool written_anew) {
  const std::string path = suite_file(suite);
  std::vector<std::string> files = suite_files(path);
  if (written_anew) std::erase_if(files, [&](const std::string& file) { return file != path; });
  return files;
}

/// The files and what they must have, of a suite and of those that it is counted with.
void count_suite(CoverageRequest& request, const std::string& suite) {
  const auto own = std::find_if(kLayers.begin(), kLayers.end(),
                                [&](const Layer& layer) { return suite == layer.suite; });
  if (own != kLayers.end()) {
    for (auto before = kLayers.begin(); before != own; ++before)
      for (const std::string& file : files_to_count(before->suite, false))
        request.files.push_back(file);
    request.of_f32 = own->of_f32;
    request.of_others = own->of_others;
  }
  for (const std::string& file : files_to_count(suite, !request.write.empty()))
    request.files.push_back(file);
}

}  // namespace

int run_coverage(const Options& options) {
  const Interrupt interrupt;
  Session session(worker_program(options.worker), options.deadline, interrupt);
  CoverageRequest request;
  request.kernels = options.kernels;
  request.write = options.write;
  request.json = options.json;
  // Lines and branches were counted on push and pairs together.
  if (options.suite == "pairs") request.lines = suites_directory() + "/../coverage.json";
  request.ledger = suites_directory() + "/pairs.ledger";
  if (options.cases_file.empty())
    count_suite(request, options.suite.empty() ? "push" : options.suite);
  else
    request.files = {options.cases_file};
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
