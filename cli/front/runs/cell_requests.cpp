// SPDX-License-Identifier: Apache-2.0
#include "cli/front/runs/cell_requests.h"

#include <fmt/format.h>

#include "cli/front/cases.h"
#include "core/error.h"
#include "reports/record/json.h"

namespace gradproof {
namespace {

/// The suite whose Cases mutants run on; only the calibration `power` has one.
std::string suite_of(const CalibrateRequest& request) {
  return request.name == "power" ? suites_directory() + "/push.cases" : "";
}

PlannedCase cell_from(const std::string& line) {
  constexpr const char* kWhat = "no cell";
  const Json json = parse_json(line, kWhat);
  PlannedCase cell;
  reading(kWhat, [&] {
    cell = {json.at("cell").get<std::string>(), number_from(json.at("cost"))};
  });
  return cell;
}

std::string subject_of_plan(const Request& request) {
  const auto* calibrate = std::get_if<CalibrateRequest>(&request);
  return calibrate == nullptr ? verb_of(request) : "calibrate " + calibrate->name;
}

}  // namespace

std::string kept_request(const Request& request) {
  Request kept = request;
  std::visit(
      [](auto& r) {
        if constexpr (requires { r.json; }) r.json = false;
        if constexpr (requires { r.keep; }) r.keep.clear();
        if constexpr (requires { r.suite; }) r.suite.clear();
      },
      kept);
  return to_line(kept);
}

std::string request_here(const std::string& kept, const Options& options) {
  Request request = parse_request(kept);
  if (auto* calibrate = std::get_if<CalibrateRequest>(&request))
    calibrate->suite = suite_of(*calibrate);
  std::visit(
      [&](auto& r) {
        if constexpr (requires { r.json; }) r.json = options.json;
        if constexpr (requires { r.keep; }) r.keep = options.keep;
      },
      request);
  return to_line(request);
}

RunKind kind_of_request(const Request& request) { return parse_kind(verb_of(request)); }

RunPlan plan_of_cells(Session& session, const Options& options, const Request& request) {
  const std::string kept = kept_request(request);
  std::vector<PlannedCase> cells;
  const Reply reply =
      session.ask(CellsRequest{request_here(kept, options)}, options.deadline,
                  [&](const std::string& line) { cells.push_back(cell_from(line)); });
  if (reply.interrupted) throw Interrupted("interrupted before the plan was made");
  if (reply.failure && reply.failure->kind == kUsage) throw UsageError(reply.failure->text);
  if (reply.failure) throw InstrumentError(reply.failure->text);
  if (reply.lost) throw InstrumentError(fmt::format("no plan: {}", reply.lost->reason));
  if (cells.empty()) throw UsageError("there is nothing to plan");
  return make_plan(kind_of_request(request), std::move(cells), kept);
}

RunPlan plan_for(const Options& options, const Request& request) {
  const EndOnSignals at_reading;
  RunPlan plan = read_plan(options.plan);
  const std::string wanted = subject_of_plan(request);
  const std::string is = plan.request.empty() ? std::string(kind_name(plan.kind))
                                              : subject_of_plan(parse_request(plan.request));
  if (is != wanted)
    throw UsageError(fmt::format("'{}' is a plan for {}, not for {}", options.plan, is, wanted));
  return plan;
}

}  // namespace gradproof
