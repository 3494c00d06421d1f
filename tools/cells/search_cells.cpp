// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/error.h"
#include "tools/cells/cells.h"
#include "tools/search/kept.h"
#include "tools/search/one_search.h"
#include "tools/search/result_json.h"
#include "tools/search/text.h"

namespace gradproof {
namespace {

std::string name_of(const SearchSetup& setup) {
  return fmt::format("{} {}", setup.name, setup.dtype);
}

/// A cell is the search of one kernel in one combination of types.
class SearchCells final : public CellVerb {
 public:
  SearchCells(const Catalog& catalog, SearchRequest request, WorkerChannel& channel)
      : request_(std::move(request)), channel_(channel), setups_(setups_of(catalog, request_)) {
    if (request_.cases == 0)
      throw UsageError(
          "a search in cells needs --cases N: by the clock it finds something else on "
          "each machine");
  }

  std::vector<Cell> cells() const override {
    std::vector<Cell> cells;
    for (const SearchSetup& setup : setups_) cells.push_back({name_of(setup)});
    return cells;
  }

  bool runs_in_parallel() const override { return true; }

  std::string run(const std::string& cell) const override {
    for (const SearchSetup& setup : setups_)
      if (name_of(setup) == cell)
        return state_of(searched(setup, request_, budget_of(request_, 1, 1), [](const Search&) {}));
    throw UsageError(fmt::format("no cell '{}'", cell));
  }

  int sum(const std::vector<std::string>& found, double seconds) const override {
    std::vector<SearchResult> results;
    for (const std::string& state : found) results.push_back(result_from(state, setups_));
    KeptCases(request_.keep, command_of(request_)).keep(results);
    const SearchText text(setups_, request_.json);
    for (const std::string& line : text.heading()) channel_.line(line);
    for (const SearchResult& result : results)
      for (const std::string& line : text.row(result)) channel_.line(line);
    for (const std::string& line : text.end(results, seconds)) channel_.line(line);
    return exit_code(totals_of(results));
  }

 private:
  const SearchRequest request_;
  WorkerChannel& channel_;
  const std::vector<SearchSetup> setups_;
};

}  // namespace

std::unique_ptr<CellVerb> search_cells(const Systems& systems, const SearchRequest& request,
                                       WorkerChannel& channel) {
  return std::make_unique<SearchCells>(systems.catalog, request, channel);
}

}  // namespace gradproof
