// SPDX-License-Identifier: Apache-2.0
#include "reports/audit_json.h"

#include "reports/json.h"

namespace gradproof {

Json to_json(const AuditRow& row) {
  Json sweep = Json::array();
  for (const SweepPoint& point : row.sweep) {
    Json one = Json::array({point.log2_step});
    for (const double error : point.error) one.push_back(number_json(error));
    for (const double own : point.own) one.push_back(number_json(own));
    sweep.push_back(std::move(one));
  }
  return {{"tensor", row.tensor},
          {"shape", row.shape},
          {"entries", row.entries},
          {"digits", number_json(row.digits)},
          {"median_digits", number_json(row.median_digits)},
          {"worst_index", row.worst_index},
          {"worst_difference", number_json(row.worst_difference)},
          {"worst_adjoint", number_json(row.worst_adjoint)},
          {"order", row.order},
          {"log2_step", row.log2_step},
          {"sweep", sweep},
          {"verdict", row.verdict},
          {"reason", row.reason}};
}

AuditRow audit_from(const Json& json) {
  AuditRow row;
  json.at("tensor").get_to(row.tensor);
  json.at("shape").get_to(row.shape);
  json.at("entries").get_to(row.entries);
  row.digits = number_from(json.at("digits"));
  row.median_digits = number_from(json.at("median_digits"));
  json.at("worst_index").get_to(row.worst_index);
  row.worst_difference = number_from(json.at("worst_difference"));
  row.worst_adjoint = number_from(json.at("worst_adjoint"));
  json.at("order").get_to(row.order);
  json.at("log2_step").get_to(row.log2_step);
  for (const Json& point : json.at("sweep")) {
    SweepPoint one{point.at(0).get<int>(), {}, {}};
    for (std::size_t k = 0; k < 3; ++k) {
      one.error[k] = number_from(point.at(1 + k));
      one.own[k] = number_from(point.at(4 + k));
    }
    row.sweep.push_back(one);
  }
  json.at("verdict").get_to(row.verdict);
  json.at("reason").get_to(row.reason);
  return row;
}

std::string audit_line(const AuditRow& row) { return dump(to_json(row)); }

AuditRow read_audit(std::string_view line) {
  const Json json = parse_json(line, "no audit row");
  AuditRow row;
  reading("no audit row", [&] { row = audit_from(json); });
  return row;
}

}  // namespace gradproof
