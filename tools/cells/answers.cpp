// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <fmt/format.h>

#include "core/error.h"
#include "core/parallel.h"
#include "reports/record/json.h"
#include "tools/cells/cells.h"
#include "tools/verbs.h"

namespace gradproof {
namespace {

std::unique_ptr<CellVerb> verb_of(const Systems& systems, const std::string& line,
                                  WorkerChannel& channel) {
  const Request request = parse_request(line);
  if (const auto* exhaustive = std::get_if<ExhaustiveRequest>(&request))
    return exhaustive_cells(systems, *exhaustive, channel);
  if (const auto* calibrate = std::get_if<CalibrateRequest>(&request))
    return calibrate_cells(systems, *calibrate, channel);
  if (const auto* search = std::get_if<SearchRequest>(&request))
    return search_cells(systems, *search, channel);
  throw UsageError(fmt::format("'{}' has no cells", gradproof::verb_of(request)));
}

}  // namespace

int answer_cells(const Systems& systems, const CellsRequest& request, WorkerChannel& channel) {
  for (const Cell& cell : verb_of(systems, request.request, channel)->cells())
    channel.line(dump(Json{{"cell", cell.name}, {"cost", cell.cost}}));
  return 0;
}

int answer_run_cells(const Systems& systems, const RunCellsRequest& request,
                     WorkerChannel& channel) {
  const auto verb = verb_of(systems, request.request, channel);
  const auto run = [&](const std::string& cell) { channel.send(FoundCell{cell, verb->run(cell)}); };
  if (!verb->runs_in_parallel())
    for (const std::string& cell : request.cells) run(cell);
  else
    for_each_index(std::ssize(request.cells),
                   [&](std::int64_t i) { run(request.cells[static_cast<std::size_t>(i)]); });
  return 0;
}

int answer_sum_cells(const Systems& systems, const SumCellsRequest& request,
                     WorkerChannel& channel) {
  const auto verb = verb_of(systems, request.request, channel);
  std::map<std::string, std::string> found;
  for (const FoundCell& cell : request.found) found[cell.cell] = cell.found;
  std::vector<std::string> in_order;
  for (const Cell& cell : verb->cells()) {
    const auto at = found.find(cell.name);
    if (at == found.end())
      throw InstrumentError(fmt::format("nothing was found in the cell '{}'", cell.name));
    in_order.push_back(std::move(at->second));
  }
  if (in_order.size() != request.found.size())
    throw InstrumentError(fmt::format("{} cells were found, where there are {}",
                                      request.found.size(), in_order.size()));
  return verb->sum(in_order, request.seconds);
}

std::vector<WorkerVerb> lab_verbs() {
  return {worker_verb(answer_bench),     worker_verb(answer_exhaustive),
          worker_verb(answer_calibrate), worker_verb(answer_search),
          worker_verb(answer_cells),     worker_verb(answer_run_cells),
          worker_verb(answer_sum_cells)};
}

}  // namespace gradproof
