// SPDX-License-Identifier: Apache-2.0
#include "cli/front/terminal/json_lines.h"

#include <cmath>

#include "reports/record/json.h"

namespace gradproof {
namespace {

double to_hundredths(double seconds) { return std::round(100 * seconds) / 100; }

}  // namespace

std::string incomplete_json(const std::string& gap) { return dump(Json{{"incomplete", gap}}); }

std::string shrunk_json(const std::string& case_text, const std::string& tensor, int steps) {
  const Json found{{"case", case_text}, {"tensor", tensor}, {"steps", steps}};
  return dump(Json{{"shrunk", found}});
}

std::string not_shrunk_json(const std::string& case_text, const std::string& tensor) {
  const Json failure{{"case", case_text}, {"tensor", tensor}};
  return dump(Json{{"not_shrunk", failure}});
}

std::string numbers_seen_json(const std::vector<NumberSeen>& numbers) {
  Json list = Json::array();
  for (const NumberSeen& n : numbers)
    list.push_back({{"line", n.line},
                    {"number", n.number},
                    {"value", n.value},
                    {"factor", n.factor ? Json(*n.factor) : Json(nullptr)}});
  return dump(Json{{"numbers_seen", list}});
}

std::string unexpected_pass_json(const std::string& text) {
  return dump(Json{{"unexpected_pass", text}});
}

std::string result_json(const Tally& t, double seconds, Measured measured) {
  Json counts;
  if (measured == Measured::differences)
    counts = {{"rows", t.tensors},
              {"certified", t.passed},
              {"wrong", t.failed},
              {"inconclusive", t.open()},
              {"entries", t.elements}};
  else
    counts = {{"passed", t.passed},   {"failed", t.failed},         {"mistrusted", t.mistrusted},
              {"skipped", t.skipped}, {"incomplete", t.incomplete}, {"elements", t.elements}};
  if (t.known_failures > 0) counts["known"] = t.known_failures;
  counts["seconds"] = to_hundredths(seconds);
  return dump(Json{{"result", counts}});
}

std::string doctor_json(const std::string& version, bool ready, const std::vector<Fact>& facts) {
  Json list = Json::array();
  for (const Fact& fact : facts)
    list.push_back({{"name", fact.name},
                    {"text", fact.text},
                    {"good", fact.good},
                    {"advice", fact.good ? "" : fact.advice}});
  return dump(Json{{"version", version}, {"ready", ready}, {"facts", list}});
}

}  // namespace gradproof
