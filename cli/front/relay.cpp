// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/audit.h"
#include "cli/front/audit_arguments.h"
#include "cli/front/cases.h"
#include "cli/front/started.h"
#include "cli/front/verbs.h"
#include "cli/protocol/standard_streams.h"
#include "core/error.h"

namespace gradproof {
namespace {

constexpr int kIncomplete = 4;

/// The last lines where the worker could not write its own.
void print_interruption(bool json, double seconds) {
  const char* const text = "interrupted before its end; what stands above is all";
  if (json)
    fmt::print(
        "{{\"incomplete\":\"{}\"}}\n{{\"result\":{{\"incomplete\":1,\"seconds\":{:.2f}}}}}\n", text,
        seconds);
  else
    fmt::print("incomplete: {}\nRESULT incomplete=1 seconds={:.2f}\n", text, seconds);
}

/// Prints what the worker says, and takes its exit code.
int relay(Session& session, const Options& options, Request request) {
  const auto start = Clock::now();
  if (options.json) request.arguments.push_back("json=yes");
  const Reply reply = session.ask(request, options.deadline, [](const std::string& line) {
    fmt::print("{}\n", line);
    flush_output();
  });
  if (reply.failure && reply.failure->kind == "usage") throw UsageError(reply.failure->text);
  if (reply.failure && reply.failure->kind == "skip") {
    fmt::print("skipped: {}\n", reply.failure->text);
    return kIncomplete;
  }
  if (reply.failure) throw InstrumentError(reply.failure->text);
  if (reply.lost)
    throw InstrumentError(
        fmt::format("{}: {} {}", request.verb, name_of(reply.lost->outcome), reply.lost->reason));
  if (!reply.interrupted) return reply.code;
  print_interruption(options.json, std::chrono::duration<double>(Clock::now() - start).count());
  return kIncomplete;
}

}  // namespace

int run_explain(const Options& options) {
  const Interrupt interrupt;
  const auto [session, planned] = started(options, interrupt);
  Request request{"explain", to_string(planned.cases.front())};
  if (!options.element.empty()) request.arguments.push_back("element=" + options.element);
  return relay(*session, options, std::move(request));
}

int audit_column(const Options& options, Session& session, const Planned& planned) {
  if (planned.cases.size() != 1)
    throw UsageError(fmt::format("--column {} is about one case; {} were given", options.column,
                                 planned.cases.size()));
  return relay(session, options,
               {"audit", to_string(planned.cases.front()), audit_arguments(options)});
}

int run_calibrate(const Options& options) {
  const Interrupt interrupt;
  const auto session = started_lab(options, interrupt);
  Request request{"calibrate", options.calibration};
  if (options.count > 0) request.arguments.push_back(fmt::format("cases={}", options.count));
  request.arguments.push_back(fmt::format("seed={}", options.seed));
  for (const std::string& kernel : options.kernels) request.arguments.push_back("kernel=" + kernel);
  if (options.calibration == "power")
    request.arguments.push_back("suite=" + suites_directory() + "/push.cases");
  return relay(*session, options, std::move(request));
}

int run_bench(const Options& options) {
  const Interrupt interrupt;
  const auto session = started_lab(options, interrupt);
  return relay(*session, options, {"bench", options.bench});
}

int run_exhaustive(const Options& options) {
  const Interrupt interrupt;
  const auto session = started_lab(options, interrupt);
  Request request{"exhaustive", fmt::format("{}", fmt::join(options.kernels, " "))};
  if (!options.dtype.empty()) request.arguments.push_back("dtype=" + options.dtype);
  if (!options.part.empty()) request.arguments.push_back("part=" + options.part);
  return relay(*session, options, std::move(request));
}

}  // namespace gradproof
