// SPDX-License-Identifier: Apache-2.0
#include "reports/record/audit_json.h"

#include <fmt/format.h>

#include "core/error.h"
#include "reports/record/json.h"

namespace gradproof {
namespace {

constexpr int kSchemaVersion = 1;
constexpr std::size_t kOrders = std::tuple_size_v<decltype(SweepPoint::error)>;

/// [log2 of the step, the errors of order 2, 4 and 6, their own estimates]
Json to_json(const SweepPoint& point) {
  Json json = Json::array({point.log2_step});
  for (const double error : point.error) json.push_back(number_json(error));
  for (const double own : point.own) json.push_back(number_json(own));
  return json;
}

SweepPoint sweep_point_from(const Json& json) {
  SweepPoint point{json.at(0).get<int>(), {}, {}};
  for (std::size_t k = 0; k < kOrders; ++k) {
    point.error[k] = number_from(json.at(1 + k));
    point.own[k] = number_from(json.at(1 + kOrders + k));
  }
  return point;
}

Json to_json(const CurveShape& curve) {
  return {{"right", number_json(curve.right)},
          {"left", number_json(curve.left)},
          {"floor", number_json(curve.floor)},
          {"plateau", curve.plateau}};
}

CurveShape curve_from(const Json& json) {
  return {number_from(json.at("right")), number_from(json.at("left")),
          number_from(json.at("floor")), json.at("plateau").get<int>()};
}

Json to_json(const AuditWitness& witness) {
  return {{"name", witness.name},
          {"verdict", witness.verdict},
          {"digits", number_json(witness.digits)},
          {"ratio", number_json(witness.ratio)},
          {"wrong", witness.wrong},
          {"entries", witness.entries},
          {"text", witness.text}};
}

AuditWitness witness_from(const Json& json) {
  AuditWitness witness;
  json.at("name").get_to(witness.name);
  json.at("verdict").get_to(witness.verdict);
  witness.digits = number_from(json.at("digits"));
  witness.ratio = number_from(json.at("ratio"));
  json.at("wrong").get_to(witness.wrong);
  json.at("entries").get_to(witness.entries);
  json.at("text").get_to(witness.text);
  return witness;
}

Json to_json(const Inconclusive& part) {
  return {{"reason", part.reason}, {"entries", part.entries}, {"first", part.first}};
}

Inconclusive inconclusive_from(const Json& json) {
  return {json.at("reason").get<std::string>(), json.at("entries").get<std::int64_t>(),
          json.at("first").get<std::int64_t>()};
}

template <class T>
Json array_of(const std::vector<T>& all) {
  Json json = Json::array();
  for (const T& one : all) json.push_back(to_json(one));
  return json;
}

void read_figures(const Json& json, AuditRow& row) {
  row.digits = number_from(json.at("digits"));
  row.median_digits = number_from(json.at("median_digits"));
  row.estimate = number_from(json.at("estimate"));
  row.worst_difference = number_from(json.at("worst_difference"));
  row.worst_adjoint = number_from(json.at("worst_adjoint"));
  row.seconds = number_from(json.at("seconds"));
}

void read_lists(const Json& json, AuditRow& row) {
  for (const Json& part : json.at("inconclusive"))
    row.inconclusive.push_back(inconclusive_from(part));
  for (const Json& point : json.at("sweep")) row.sweep.push_back(sweep_point_from(point));
  for (const Json& witness : json.at("witnesses")) row.witnesses.push_back(witness_from(witness));
  row.curve = curve_from(json.at("curve"));
}

}  // namespace

Json to_json(const AuditRow& row) {
  return {{"tensor", row.tensor},
          {"shape", row.shape},
          {"entries", row.entries},
          {"digits", number_json(row.digits)},
          {"median_digits", number_json(row.median_digits)},
          {"estimate", number_json(row.estimate)},
          {"worst_index", row.worst_index},
          {"worst_difference", number_json(row.worst_difference)},
          {"worst_adjoint", number_json(row.worst_adjoint)},
          {"order", row.order},
          {"log2_step", row.log2_step},
          {"reach", row.reach},
          {"method", row.method},
          {"arithmetic", row.arithmetic},
          {"escalated", row.escalated},
          {"wrong", row.wrong},
          {"wrong_entries", row.wrong_entries},
          {"inconclusive", array_of(row.inconclusive)},
          {"sweep", array_of(row.sweep)},
          {"curve", to_json(row.curve)},
          {"witnesses", array_of(row.witnesses)},
          {"seconds", number_json(row.seconds)},
          {"verdict", row.verdict},
          {"reason", row.reason}};
}

AuditRow audit_from(const Json& json) {
  AuditRow row;
  json.at("tensor").get_to(row.tensor);
  json.at("shape").get_to(row.shape);
  json.at("entries").get_to(row.entries);
  json.at("worst_index").get_to(row.worst_index);
  json.at("order").get_to(row.order);
  json.at("log2_step").get_to(row.log2_step);
  json.at("reach").get_to(row.reach);
  json.at("method").get_to(row.method);
  json.at("arithmetic").get_to(row.arithmetic);
  json.at("escalated").get_to(row.escalated);
  json.at("wrong").get_to(row.wrong);
  json.at("wrong_entries").get_to(row.wrong_entries);
  json.at("verdict").get_to(row.verdict);
  json.at("reason").get_to(row.reason);
  read_figures(json, row);
  read_lists(json, row);
  return row;
}

std::string audit_line(const AuditRow& row) { return dump(to_json(row)); }

std::string audit_line(const AuditRecord& record) {
  Json json{{"schema_version", kSchemaVersion}, {"case", record.case_text}};
  json["kernel"] = record.kernel;
  json.update(to_json(record.row));
  return dump(json);
}

AuditRow read_audit(std::string_view line) {
  const Json json = parse_json(line, "no audit row");
  AuditRow row;
  reading("no audit row", [&] { row = audit_from(json); });
  return row;
}

AuditRecord read_audit_record(std::string_view line) {
  const Json json = parse_json(line, "no audit record");
  AuditRecord record;
  reading("no audit record", [&] {
    if (const int version = json.at("schema_version").get<int>(); version != kSchemaVersion)
      throw InstrumentError(fmt::format("no audit record: schema version {}, this program reads {}",
                                        version, kSchemaVersion));
    json.at("case").get_to(record.case_text);
    json.at("kernel").get_to(record.kernel);
    record.row = audit_from(json);
  });
  return record;
}

}  // namespace gradproof
