// SPDX-License-Identifier: Apache-2.0
#include "reports/record/record_json.h"

#include <array>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/record/json.h"

namespace gradproof {
namespace {

constexpr std::array<std::string_view, kClasses> kClassNames{"finite", "nan", "inf", "-inf"};

Json element_json(const Element& e) {
  return {{"index", e.index},
          {"got", number_json(e.got)},
          {"want", number_json(e.want)},
          {"ratio", number_json(e.ratio)},
          {"ulp", number_json(e.ulp)}};
}

Element element_from(const Json& json) {
  return {json.at("index").get<std::int64_t>(), number_from(json.at("got")),
          number_from(json.at("want")), number_from(json.at("ratio")), number_from(json.at("ulp"))};
}

Json elements_json(const std::vector<Element>& elements) {
  Json list = Json::array();
  for (const Element& e : elements) list.push_back(element_json(e));
  return list;
}

std::vector<Element> elements_from(const Json& json) {
  std::vector<Element> elements;
  for (const Json& e : json) elements.push_back(element_from(e));
  return elements;
}

/// Only the pairs of classes that occurred: wanted, got and their count.
Json classes_json(const Discrepancy& d) {
  Json list = Json::array();
  for (std::size_t wanted = 0; wanted < kClasses; ++wanted)
    for (std::size_t got = 0; got < kClasses; ++got)
      if (d.classes[wanted][got] > 0)
        list.push_back({{"wanted", kClassNames[wanted]},
                        {"got", kClassNames[got]},
                        {"count", d.classes[wanted][got]}});
  return list;
}

std::size_t class_from(const Json& json) {
  const auto name = json.get<std::string>();
  for (std::size_t i = 0; i < kClasses; ++i)
    if (kClassNames[i] == name) return i;
  throw InstrumentError("no record: unknown class '" + name + "'");
}

Json columns_json(const Discrepancy& d) {
  Json list = Json::array();
  for (const WorstColumn& c : d.worst_columns)
    list.push_back({{"column", c.column}, {"max_ratio", number_json(c.max_ratio)}, {"bad", c.bad}});
  return list;
}

Json resolution_json(const Resolution& r) {
  return {{"whole", number_json(r.whole)},
          {"median", number_json(r.median)},
          {"rms_bound", number_json(r.rms_bound)},
          {"rms_truth", number_json(r.rms_truth)},
          {"zeros", r.zeros},
          {"zero_passes", r.zero_passes}};
}

Resolution resolution_from(const Json& json) {
  return {number_from(json.at("whole")),
          number_from(json.at("median")),
          number_from(json.at("rms_bound")),
          number_from(json.at("rms_truth")),
          json.at("zeros"),
          json.at("zero_passes")};
}

Json discrepancy_json(const Discrepancy& d) {
  return {{"elements", d.elements},
          {"bad", d.bad},
          {"undecided", d.undecided},
          {"vacuous", d.vacuous},
          {"wrong_class", d.wrong_class},
          {"classes", classes_json(d)},
          {"max_ratio", number_json(d.max_ratio)},
          {"p99_ratio", number_json(d.p99_ratio)},
          {"rms_ratio", number_json(d.rms_ratio)},
          {"max_ulp", number_json(d.max_ulp)},
          {"worst", element_json(d.worst)},
          {"first_bad", elements_json(d.first_bad)},
          {"last_bad", elements_json(d.last_bad)},
          {"good_before", d.good_before},
          {"worst_columns", columns_json(d)},
          {"pattern", d.pattern},
          {"histogram", d.histogram},
          {"resolution", resolution_json(d.resolution)},
          {"constant_would_pass", d.constant_would_pass}};
}

Discrepancy discrepancy_from(const Json& json) {
  Discrepancy d;
  json.at("elements").get_to(d.elements);
  json.at("bad").get_to(d.bad);
  json.at("undecided").get_to(d.undecided);
  json.at("vacuous").get_to(d.vacuous);
  json.at("wrong_class").get_to(d.wrong_class);
  for (const Json& pair : json.at("classes"))
    pair.at("count").get_to(d.classes[class_from(pair.at("wanted"))][class_from(pair.at("got"))]);
  d.max_ratio = number_from(json.at("max_ratio"));
  d.p99_ratio = number_from(json.at("p99_ratio"));
  d.rms_ratio = number_from(json.at("rms_ratio"));
  d.max_ulp = number_from(json.at("max_ulp"));
  d.worst = element_from(json.at("worst"));
  d.first_bad = elements_from(json.at("first_bad"));
  d.last_bad = elements_from(json.at("last_bad"));
  json.at("good_before").get_to(d.good_before);
  for (const Json& c : json.at("worst_columns"))
    d.worst_columns.push_back({c.at("column").get<std::int64_t>(), number_from(c.at("max_ratio")),
                               c.at("bad").get<std::int64_t>()});
  json.at("pattern").get_to(d.pattern);
  json.at("histogram").get_to(d.histogram);
  d.resolution = resolution_from(json.at("resolution"));
  json.at("constant_would_pass").get_to(d.constant_would_pass);
  return d;
}

}  // namespace

Json to_json(const Record& r) {
  return {{"schema_version", kRecordSchema},
          {"case", r.case_text},
          {"kernel", r.kernel},
          {"dtype", r.dtype},
          {"mode", r.mode},
          {"tensor", r.tensor},
          {"verdict", name_of(r.verdict.outcome)},
          {"reason", r.verdict.reason},
          {"witness", r.witness},
          {"shape", r.shape},
          {"why", r.why},
          {"vanishes", r.vanishes},
          {"certified", r.certified},
          {"escalated", r.escalated},
          {"digest", r.digest},
          {"seconds", number_json(r.seconds)},
          {"context", to_json(r.context)},
          {"discrepancy", discrepancy_json(r.discrepancy)}};
}

Record record_from(const Json& json) {
  if (const int version = json.at("schema_version").get<int>(); version != kRecordSchema)
    throw InstrumentError(fmt::format("schema version {} of a record; this program reads {}",
                                      version, kRecordSchema));
  Record r;
  json.at("case").get_to(r.case_text);
  json.at("kernel").get_to(r.kernel);
  json.at("dtype").get_to(r.dtype);
  json.at("mode").get_to(r.mode);
  json.at("tensor").get_to(r.tensor);
  r.verdict = {parse_outcome(json.at("verdict").get<std::string>()),
               json.at("reason").get<std::string>()};
  json.at("witness").get_to(r.witness);
  json.at("shape").get_to(r.shape);
  json.at("why").get_to(r.why);
  json.at("vanishes").get_to(r.vanishes);
  json.at("certified").get_to(r.certified);
  json.at("escalated").get_to(r.escalated);
  json.at("digest").get_to(r.digest);
  r.seconds = number_from(json.at("seconds"));
  r.context = context_from(json.at("context"));
  r.discrepancy = discrepancy_from(json.at("discrepancy"));
  return r;
}

std::string record_line(const Record& record) { return dump(to_json(record)); }

Record read_record(std::string_view line) {
  const Json json = parse_json(line, "no record");
  Record record;
  try {
    reading("no record", [&] { record = record_from(json); });
  } catch (const UsageError& error) {  // a verdict that nobody knows
    throw InstrumentError(error.what());
  }
  return record;
}

}  // namespace gradproof
