// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include <fmt/format.h>

#include "core/error.h"
#include "tools/calibrate/text.h"
#include "tools/cells/calibration_json.h"
#include "tools/cells/cells.h"

namespace gradproof {
namespace {

/// The functions and the property in which the calibrations differ.
struct Kind {
  std::function<std::vector<std::string>(const CalibrationPlan&)> cells;
  std::function<std::string(const CalibrationPlan&, const std::string&)> run;
  std::function<CalibrationReport(const CalibrationPlan&, const std::vector<std::string>&, double)>
      report;
  bool in_parallel = false;
};

template <class T>
std::string text_of(const T& found) {
  return dump(json_of(found));
}

template <class T>
std::vector<T> all_of(const std::vector<std::string>& found) {
  constexpr const char* kWhat = "nothing that this calibration finds";
  std::vector<T> all;
  for (const std::string& text : found) {
    const Json json = parse_json(text, kWhat);
    reading(kWhat, [&] { all.push_back(read_json<T>(json)); });
  }
  return all;
}

template <class T>
T merged(const std::vector<std::string>& found) {
  T total;
  for (T& one : all_of<T>(found)) total.merge(std::move(one));
  return total;
}

/// The range's text, "cases 500 to 1000", in which the last number is left out.
std::string range_text(const CaseRange& range) {
  return fmt::format("cases {} to {}", range.first, range.end);
}

std::vector<std::string> range_texts(std::int64_t count) {
  std::vector<std::string> texts;
  for (const CaseRange& range : ranges_of(count)) texts.push_back(range_text(range));
  return texts;
}

CaseRange range_from(const std::string& text, std::int64_t count) {
  for (const CaseRange& range : ranges_of(count))
    if (range_text(range) == text) return range;
  throw UsageError(fmt::format("no cell '{}'", text));
}

std::vector<std::string> texts_of(const std::vector<Case>& cases) {
  std::vector<std::string> texts;
  for (const Case& c : cases) texts.push_back(to_string(c));
  return texts;
}

using Plan = CalibrationPlan;
using Text = const std::string&;
using Texts = const std::vector<std::string>&;

Kind fair_kind() {
  return {[](const Plan& p) { return range_texts(fair_cases(p)); },
          [](const Plan& p, Text cell) {
            return text_of(fair_tally(p, range_from(cell, fair_cases(p))));
          },
          [](const Plan& p, Texts found, double seconds) {
            return fair_report(p, merged<CalibrationTally>(found), seconds);
          }};
}

Kind audit_kind() {
  return {[](const Plan& p) { return range_texts(audit_cases(p)); },
          [](const Plan& p, Text cell) {
            return text_of(audit_tally(p, range_from(cell, audit_cases(p))));
          },
          [](const Plan& p, Texts found, double seconds) {
            return audit_report(p, merged<AuditTally>(found), seconds);
          },
          true};
}

Kind tight_kind() {
  return {tight_setups, [](const Plan& p, Text cell) { return text_of(tight_part(p, cell)); },
          [](const Plan&, Texts found, double seconds) {
            return tight_report(all_of<TightPart>(found), seconds);
          },
          true};
}

Kind power_kind() {
  return {[](const Plan& p) { return texts_of(power_cases(p)); },
          [](const Plan& p, Text cell) {
            return text_of(power_tally(p, parse_case(cell, p.catalog.schemas())));
          },
          [](const Plan&, Texts found, double seconds) {
            return power_report(merged<PowerTally>(found), seconds);
          }};
}

Kind laws_kind() {
  return {law_mutants, [](const Plan& p, Text cell) { return text_of(mutant_by_laws(p, cell)); },
          [](const Plan&, Texts found, double seconds) {
            return laws_report(all_of<MutantByLaws>(found), seconds);
          }};
}

Kind graphs_kind() {
  return {[](const Plan& p) { return range_texts(graph_cases(p)); },
          [](const Plan& p, Text cell) {
            return text_of(graph_tally(p, range_from(cell, graph_cases(p))));
          },
          [](const Plan&, Texts found, double seconds) {
            return graph_report(merged<GraphTally>(found), seconds);
          },
          true};
}

Kind sizes_kind() {
  return {size_rows, [](const Plan& p, Text cell) { return text_of(size_tally(p, cell)); },
          [](const Plan& p, Texts found, double seconds) {
            return size_report(p, merged<SizeTally>(found), seconds);
          },
          true};
}

Kind kind_of(const std::string& which) {
  if (which == "fair") return fair_kind();
  if (which == "audit") return audit_kind();
  if (which == "tight") return tight_kind();
  if (which == "power") return power_kind();
  if (which == "laws") return laws_kind();
  if (which == "graphs" || which == "likely") return graphs_kind();
  if (which == "sizes") return sizes_kind();
  throw UsageError(fmt::format(
      "unknown calibration '{}'; known: fair tight power audit laws graphs likely sizes", which));
}

class CalibrateCells final : public CellVerb {
 public:
  CalibrateCells(CalibrationPlan plan, const CalibrateRequest& request, WorkerChannel& channel)
      : plan_(std::move(plan)),
        kind_(kind_of(request.name)),
        json_(request.json),
        channel_(channel) {}

  std::vector<Cell> cells() const override {
    std::vector<Cell> cells;
    for (const std::string& name : kind_.cells(plan_)) cells.push_back({name});
    return cells;
  }

  /// Calibrations that try mutants in processes of their own may not run in parallel.
  bool runs_in_parallel() const override { return kind_.in_parallel; }
  std::string run(const std::string& cell) const override { return kind_.run(plan_, cell); }

  int sum(const std::vector<std::string>& found, double seconds) const override {
    const CalibrationReport report = kind_.report(plan_, found, seconds);
    for (const std::string& line : lines_of(report, json_)) channel_.line(line);
    return report.code;
  }

 private:
  const CalibrationPlan plan_;
  const Kind kind_;
  const bool json_;
  WorkerChannel& channel_;
};

}  // namespace

std::unique_ptr<CellVerb> calibrate_cells(const Systems& systems, const CalibrateRequest& request,
                                          WorkerChannel& channel) {
  CalibrationPlan plan = judged_plan_of(systems, request);
  // Findings are reported with the whole result; until then each only renews the deadline.
  plan.progress = [&channel](const std::string&) { channel.working(0); };
  return std::make_unique<CalibrateCells>(std::move(plan), request, channel);
}

}  // namespace gradproof
