// SPDX-License-Identifier: Apache-2.0
// OASIS, Static Analysis Results Interchange Format 2.1.0.
#include <array>

#include <fmt/format.h>

#include "reports/baseline/comparison_rows.h"
#include "reports/formats/failures.h"
#include "reports/formats/formats.h"
#include "reports/record/json.h"
#include "reports/runs/sealed_line.h"
#include "reports/text/evidence.h"
#include "reports/text/safe_text.h"

namespace gradproof {
namespace {

/// Code scanning takes no more than 5,000 results of a run and shows those first.
constexpr std::size_t kMost = 5000;

struct Rule {
  const char* id;
  const char* says;
};

constexpr std::array kRules{
    Rule{"Failed", "An element is over the bound that was derived for it."},
    Rule{"Improbable", "An element is further off than roundings are likely to be in any order."},
    Rule{"Nondeterministic", "Repeated runs differ although the contract promises the same bits."},
    Rule{"Crashed", "The kernel ended its process."},
    Rule{"TimedOut", "The kernel did not come to an end."},
    Rule{"InstrumentBroken", "Two witnesses of the truth disagree."},
    Rule{"wrong", "A gradient that finite differences or a witness contradict."},
    Rule{"regressed", "Less accurate than the baseline, beyond chance."},
    Rule{"incomplete",
         "Something that was to be judged was not, or no pass of it proves anything."}};

Json message(const std::string& text) { return {{"text", without_controls(text)}}; }

Json rules() {
  Json list = Json::array();
  for (const Rule& rule : kRules)
    list.push_back({{"id", rule.id}, {"shortDescription", message(rule.says)}});
  return list;
}

Json location(const Report& report, const std::string& kernel, const std::string& tensor) {
  Json place = {{"logicalLocations",
                 {{{"name", without_controls(tensor)},
                   {"fullyQualifiedName", without_controls(kernel + "::" + tensor)},
                   {"kind", "variable"}}}}};
  if (const std::string file = source_of(report, kernel); !file.empty())
    place["physicalLocation"] = {{"artifactLocation", {{"uri", without_controls(file)}}},
                                 {"region", {{"startLine", 1}}}};
  return Json::array({place});
}

Json result(const std::string& rule, const std::string& text, Json locations,
            const std::string& identity) {
  return {{"ruleId", rule},
          {"level", "error"},
          {"message", message(text)},
          {"locations", std::move(locations)},
          {"partialFingerprints", {{"caseAndTensor/v1", content_id(identity)}}}};
}

Json failure_result(const Report& report, const WrongTensor& failure) {
  const Record& r = *failure.record;
  std::string text = message_of(failure);
  if (!failure.diagnosis.empty()) text += "diagnosis: " + failure.diagnosis + "\n";
  Json json = result(std::string(name_of(r.verdict.outcome)), text,
                     location(report, r.kernel, r.tensor), r.case_text + " " + r.tensor);
  json["properties"] = {{"kernel", without_controls(r.kernel)},
                        {"dtype", r.dtype},
                        {"mode", r.mode},
                        {"tensor", without_controls(r.tensor)},
                        {"case", without_controls(r.case_text)},
                        {"errorOverBound", number_json(failure.ratio())}};
  return json;
}

Json regression_result(const Report& report, const ChangedTensor& t) {
  const std::string text =
      fmt::format("{} {} {}: {}\nreplay: {}", t.kernel, t.now.dtype, t.now.tensor, moved_text(t),
                  commands_of(report).replay(t.now.case_text));
  return result("regressed", text, location(report, t.kernel, t.now.tensor),
                t.now.case_text + " " + t.now.tensor);
}

Json results(const Report& report) {
  Json list = Json::array();
  const auto add = [&](const auto& make) {
    if (list.size() < kMost) list.push_back(make());
  };
  for (const WrongTensor& failure : by_severity(failure_groups(report)))
    add([&] { return failure_result(report, failure); });
  if (report.comparison)
    for (const ChangedTensor& t : report.comparison->tensors)
      if (t.change == Change::regressed) add([&] { return regression_result(report, t); });
  for (const std::string& gap : gaps_of(report))
    add([&] { return result("incomplete", gap, Json::array(), gap); });
  return list;
}

}  // namespace

std::string sarif(const Report& report) {
  const RunHeader& header = runs_of(report).front()->header;
  Json run = {
      {"tool",
       {{"driver",
         {{"name", "gradproof"}, {"version", header.context.version}, {"rules", rules()}}}}},
      {"results", results(report)},
      {"automationDetails", {{"id", "gradproof/" + header.plan}}},
      {"columnKind", "utf16CodeUnits"}};
  if (!header.checkout.commit.empty())
    run["properties"] = {{"commit", without_controls(header.checkout.commit)}, {"run", header.id}};
  const Json whole = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", Json::array({run})}};
  return whole.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gradproof
