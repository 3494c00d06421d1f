// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/graph/contract/error_bound_name.h"
#include "reports/formats/failures.h"
#include "reports/formats/formats.h"
#include "reports/record/json.h"
#include "reports/rows.h"
#include "reports/text/evidence.h"

namespace gradproof {
namespace {

/// The version of the format below. It grows when a key changes its meaning or goes.
constexpr int kReportSchema = 1;

Json run_json(const ReportedRun& run) {
  Json facts = Json::object();
  for (const auto& [name, value] : facts_of(run)) facts[name] = value;
  const Tally t = tally(run.stored);
  return {{"kind", kind_name(run.header.kind)},
          {"facts", std::move(facts)},
          {"counts",
           {{"tensors", t.tensors},
            {"passed", t.passed},
            {"failed", t.failed},
            {"mistrusted", t.mistrusted},
            {"skipped", t.skipped},
            {"incomplete", t.incomplete},
            {"known_failures", t.known_failures},
            {"elements", t.elements}}}};
}

Json cell_json(const JudgedCell& cell) {
  const auto& [name, row] = cell;
  return {{"kernel", name.kernel},
          {"dtype", name.dtype},
          {"mode", name.mode},
          {"tensor", name.tensor},
          {"cases", row.cases},
          {"passed", row.passed},
          {"failed", row.failed},
          {"mistrusted", row.mistrusted},
          {"other", row.other},
          {"max_ratio", number_json(row.max_ratio)},
          {"p99_ratio", number_json(row.p99_ratio)},
          {"max_ulp", number_json(row.max_ulp)},
          {"histogram", row.histogram},
          {"worst_case", row.worst_case},
          {"worst_index", row.worst_index}};
}

Json failure_json(const WrongTensor& failure) {
  const Record& r = *failure.record;
  return {{"kind", kind_name(r.measured())},
          {"verdict", name_of(r.verdict.outcome)},
          {"reason", r.verdict.reason},
          {"kernel", r.kernel},
          {"dtype", r.dtype},
          {"mode", r.mode},
          {"tensor", r.tensor},
          {"case", r.case_text},
          {"error_over_bound", number_json(failure.ratio())},
          {"diagnosis", failure.diagnosis},
          {"replay", failure.commands.replay(r.case_text)},
          {"explain", failure.commands.explain(r)},
          {"audit", failure.commands.audit(r)}};
}

Json figures_json(const BaselineEntry& e) {
  if (e.worst.empty()) return nullptr;
  Json figures{{"max", number_json(e.max_ratio)},
               {"p99", number_json(e.p99_ratio)},
               {"rms", number_json(e.rms_ratio)},
               {"worst", e.worst},
               {"bits", e.digest}};
  if (e.bound) figures["bound"] = name_of(*e.bound);
  if (e.rung) figures["rung"] = name_of(*e.rung);
  if (e.chain) figures["chain"] = *e.chain;
  return figures;
}

Json change_json(const ChangedTensor& t) {
  return {{"change", name_of(t.change)},
          {"kernel", t.kernel},
          {"dtype", t.named().dtype},
          {"tensor", t.named().tensor},
          {"case", t.named().case_text},
          {"margin", name_of(margin_of(t.named().max_ratio))},
          {"figure", t.moved.figure},
          {"chance", number_json(t.moved.band)},
          {"before", figures_json(t.before)},
          {"now", figures_json(t.now)},
          {"note", t.note}};
}

Json comparison_json(const BaselineComparison& c) {
  Json changes = Json::array();
  Json counts = Json::object();
  for (const ChangedTensor& t : c.tensors) {
    if (t.change != Change::unchanged) changes.push_back(change_json(t));
    Json& count = counts[std::string(name_of(t.change))];
    count = count.is_null() ? 1 : count.get<std::int64_t>() + 1;
  }
  Json above = Json::array();
  for (const Ceiling& over : c.above)
    above.push_back({{"kernel", over.kernel},
                     {"dtype", over.dtype},
                     {"tensor", over.tensor},
                     {"max", number_json(over.max_ratio)}});
  return {{"baseline", c.file},
          {"not_comparable", c.not_comparable},
          {"counts", std::move(counts)},
          {"alike_but_for", c.alike.key},
          {"alike", c.alike.tensors},
          {"alike_compared", c.alike.compared},
          {"above_ceiling", std::move(above)},
          {"changes", std::move(changes)}};
}

Json history_json(const Trend& trend) {
  Json points = Json::array();
  for (const TrendPoint& p : trend.points) {
    Json kernels = Json::object();
    for (const auto& [kernel, ratio] : p.max_ratio) kernels[kernel] = number_json(ratio);
    points.push_back({{"run", p.run},
                      {"started", p.started},
                      {"commit", p.commit},
                      {"tensors", p.tensors},
                      {"wrong", p.wrong},
                      {"seconds", p.seconds},
                      {"max_ratio", std::move(kernels)}});
  }
  return points;
}

}  // namespace

std::string json_report(const Report& report) {
  const Conclusion conclusion = conclusion_of(report);
  Json json = {{"report_schema", kReportSchema},
               {"verdict", conclusion.word},
               {"sentence", conclusion.sentence},
               {"code", exit_code(conclusion.findings)}};
  json["runs"] = Json::array();
  for (const ReportedRun* run : runs_of(report)) json["runs"].push_back(run_json(*run));
  json["failures"] = Json::array();
  for (const WrongTensor& failure : by_severity(failure_groups(report)))
    json["failures"].push_back(failure_json(failure));
  json["not_proved"] = gaps_of(report);
  json["cells"] = Json::array();
  if (report.check)
    for (const JudgedCell& cell : judged_cells(report.check->stored.records))
      json["cells"].push_back(cell_json(cell));
  if (report.comparison) json["comparison"] = comparison_json(*report.comparison);
  if (!report.trend.points.empty()) json["history"] = history_json(report.trend);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gradproof
