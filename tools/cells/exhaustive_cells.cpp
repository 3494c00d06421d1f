// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/record/fields.h"
#include "tools/cells/cells.h"
#include "tools/exhaustive/tables.h"
#include "tools/exhaustive/text.h"

namespace gradproof {
namespace {

/// A cell is one setting on one piece of the inputs, and its name the Case.
struct Place {
  std::size_t table = 0;
  std::size_t setting = 0;
  std::size_t piece = 0;
};

Json json_of_run(const SettingRun& run) {
  Json json{{"fault", run.fault}, {"tensors", Json::object()}};
  for (const auto& [tensor, regions] : run.found)
    for (const auto& [region, e] : regions)
      json["tensors"][tensor] = {{"discrepancy", to_json(e.discrepancy)},
                                 {"escalated", e.escalated},
                                 {"worst", e.worst},
                                 {"worst_case", e.worst_case}};
  return json;
}

/// Adds what was found in a piece to what was found in those before it, as run_setting() would have
/// met it: a fault ends its setting.
void add_piece(const std::string& found, std::size_t region, SettingRun& run) {
  if (!run.fault.empty()) return;
  constexpr const char* kWhat = "nothing that an exhaustive run finds";
  const Json json = parse_json(found, kWhat);
  reading(kWhat, [&] {
    run.fault = json.at("fault").get<std::string>();
    for (const auto& [tensor, figures] : json.at("tensors").items()) {
      Extremes e;
      e.discrepancy = discrepancy_from(figures.at("discrepancy"));
      e.escalated = integer_from<std::int64_t>(figures.at("escalated"));
      e.worst = integer_from<std::uint64_t>(figures.at("worst"));
      e.worst_case = figures.at("worst_case").get<std::string>();
      run.found[tensor][region].add(e);
    }
  });
}

class ExhaustiveCells final : public CellVerb {
 public:
  ExhaustiveCells(std::vector<PlannedTable> tables, bool json, WorkerChannel& channel)
      : tables_(std::move(tables)), json_(json), channel_(channel) {
    for (std::size_t t = 0; t < tables_.size(); ++t)
      for (std::size_t s = 0; s < tables_[t].settings.size(); ++s)
        for (std::size_t p = 0; p < tables_[t].pieces.size(); ++p) add({t, s, p});
  }

  std::vector<Cell> cells() const override { return cells_; }
  /// A piece is judged on all threads.
  bool runs_in_parallel() const override { return false; }

  std::string run(const std::string& cell) const override {
    const auto found = places_.find(cell);
    if (found == places_.end()) throw UsageError(fmt::format("no cell '{}'", cell));
    const auto [t, s, p] = found->second.place;
    return dump(json_of_run(
        run_setting(*tables_[t].kernel, tables_[t].settings[s], {tables_[t].pieces[p]})));
  }

  int sum(const std::vector<std::string>& found, double seconds) const override {
    std::vector<TableRun> all;
    auto next = order_.begin();
    for (const PlannedTable& table : tables_) {
      if (!json_) channel_.line(title_of(table));
      TableRun run{fmt::format("{} {}", table.name, name_of(table.dtype)), {}};
      for (const Case& setting : table.settings) {
        SettingRun one{setting, {}, ""};
        for (const Piece& piece : table.pieces) add_piece(found.at(*next++), piece.region, one);
        for (const std::string& line : setting_lines(one, json_)) channel_.line(line);
        run.settings.push_back(std::move(one));
      }
      for (const std::string& line : lines_of(table, run.settings, json_)) channel_.line(line);
      all.push_back(std::move(run));
    }
    return show_result(all, seconds, json_, channel_);
  }

 private:
  struct Numbered {
    Place place;
    std::size_t number = 0;  ///< of the cell
  };

  void add(const Place& place) {
    const PlannedTable& table = tables_[place.table];
    const Piece& piece = table.pieces[place.piece];
    const std::string name = to_string(case_of(table.settings[place.setting], piece));
    constexpr double kOfAnyPiece = 1000;  // inputs that take as long as what every piece takes
    const auto [known, is_new] = places_.emplace(name, Numbered{place, cells_.size()});
    if (is_new) cells_.push_back({name, static_cast<double>(piece.count) + kOfAnyPiece});
    order_.push_back(known->second.number);  // a table that is asked for twice has its cells once
  }

  const std::vector<PlannedTable> tables_;
  const bool json_;
  WorkerChannel& channel_;
  std::vector<Cell> cells_;
  std::map<std::string, Numbered> places_;
  std::vector<std::size_t> order_;  ///< of tables, settings and pieces each one's cell
};

}  // namespace

std::unique_ptr<CellVerb> exhaustive_cells(const Systems& systems, const ExhaustiveRequest& request,
                                           WorkerChannel& channel) {
  return std::make_unique<ExhaustiveCells>(tables_of(systems.catalog, request), request.json,
                                           channel);
}

}  // namespace gradproof
