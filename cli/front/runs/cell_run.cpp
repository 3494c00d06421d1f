// SPDX-License-Identifier: Apache-2.0
#include "cli/front/runs/cell_run.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cli/front/relayed_verb.h"
#include "cli/front/runs/cell_requests.h"
#include "cli/front/runs/kept_run.h"
#include "cli/front/runs/run_facts.h"
#include "cli/front/started.h"
#include "cli/front/terminal/json_lines.h"
#include "cli/front/terminal/paint.h"
#include "cli/front/verbs.h"
#include "core/error.h"

namespace gradproof {
namespace {

constexpr int kIncomplete = 4;
constexpr int kInfrastructure = 3;

/// Cells of one request. What a worker has not said yet is lost with it, and the front takes no
/// answer without end.
constexpr std::size_t kAtOnce = 200;

/// The cells of a plan, or of a shard of it: those that no earlier run has are asked for, and each
/// is kept as it comes. Where all of the plan is there, the verb's own answer follows.
class CellRun {
 public:
  CellRun(const Options& options, Session& session, RunPlan plan)
      : options_(options),
        session_(session),
        plan_(std::move(plan)),
        cells_(cases_of_shard(plan_, options.shard)),
        kept_(options, identity()) {}

  int run() {
    for (const std::string& cell : cells_)
      if (const auto found = kept_.found(cell)) found_[cell] = *found;
    try {
      int code = run_missing();
      kept_.rethrow_failure();
      if (is_whole()) code = worse_code(code, sum_or_count());
      end(code, "");
      return code;
    } catch (const InstrumentError& error) {
      end(kInfrastructure, error.what());
      throw;
    }
  }

 private:
  std::optional<RunHeader> identity() const {
    if (options_.records.empty()) return std::nullopt;
    Scope scope{plan_id(plan_), std::ssize(plan_.cases)};
    if (options_.shard.count > 1) scope.shards = {options_.shard};
    return identity_of_cells(session_, plan_, scope, cells_);
  }

  bool is_whole() const { return found_.size() == cells_.size(); }
  bool is_shard() const { return options_.shard.count > 1; }

  int run_missing() {
    std::vector<std::string> missing;
    for (const std::string& cell : cells_)
      if (!found_.contains(cell)) missing.push_back(cell);
    int worst = 0;
    for (std::size_t at = 0; at < missing.size(); at += kAtOnce) {
      const auto begin = missing.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end =
          missing.begin() + static_cast<std::ptrdiff_t>(std::min(missing.size(), at + kAtOnce));
      const RunCellsRequest request{request_here(plan_.request, options_), {begin, end}};
      const int code = RelayedVerb(session_, options_, request, [this](const FoundCell& cell) {
                         keep(cell);
                       }).run();
      worst = worse_code(worst, code);
      if (!is_done(request.cells) || kept_.failed()) break;
    }
    return worst;
  }

  bool is_done(const std::vector<std::string>& cells) const {
    return std::all_of(cells.begin(), cells.end(),
                       [&](const std::string& cell) { return found_.contains(cell); });
  }

  void keep(const FoundCell& cell) {
    if (kept_.keep(cell)) found_[cell.cell] = cell.found;
  }

  int sum_or_count() {
    if (!is_shard()) return sum();
    const std::string seconds = fmt::format("{:.2f}", seconds_since_start());
    if (options_.json)
      fmt::print("{{\"result\":{{\"cells\":{},\"seconds\":{}}}}}\n", cells_.size(), seconds);
    else
      say(fmt::format("RESULT cells={} seconds={}\n", cells_.size(), seconds));
    return 0;
  }

  int sum() {
    SumCellsRequest request{request_here(plan_.request, options_), {}, seconds_since_start()};
    for (const auto& [cell, found] : found_) request.found.push_back({cell, found});
    return RelayedVerb(session_, options_, request).run();
  }

  double seconds_since_start() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  void end(int code, const std::string& fault) {
    RunEnd end;
    end.code = code;
    end.reason = fault;
    end.how = !fault.empty()        ? "failed"
              : is_whole()          ? "complete"
              : code == kIncomplete ? "interrupted"
                                    : "incomplete";
    kept_.end(end);
  }

  const Options& options_;
  Session& session_;
  const RunPlan plan_;
  const std::vector<std::string> cells_;
  KeptRun kept_;
  Clock::time_point start_ = Clock::now();
  std::map<std::string, std::string> found_;
};

}  // namespace

int run_long_verb(const Options& options, Session& session, const Request& request) {
  if (options.print_plan) {
    fmt::print("{}", plan_lines(plan_of_cells(session, options, request)));
    return 0;
  }
  if (options.plan.empty() && options.records.empty()) return relay(session, options, request);
  return CellRun(options, session,
                 options.plan.empty() ? plan_of_cells(session, options, request)
                                      : plan_for(options, request))
      .run();
}

int show_sum(const Options& options, const MergedRun& merged) {
  const RunHeader& header = merged.run.header;
  const Interrupt interrupt;
  const auto session = started_lab(options, interrupt);
  if (const std::string here = content_of_file(session->program()); here != header.worker)
    throw InstrumentError(fmt::format("the cells are of worker '{}', and {} is '{}'", header.worker,
                                      session->program(), here));
  SumCellsRequest request{request_here(header.options.at(0), options), {}, merged.run.end->seconds};
  for (const std::string& cell : header.cases)
    request.found.push_back({cell, merged.run.judged.of(cell).front().found});
  return RelayedVerb(*session, options, request).run();
}

}  // namespace gradproof
