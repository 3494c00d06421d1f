// SPDX-License-Identifier: Apache-2.0
#include "reports/record/schema_json.h"

#include <array>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/record/json.h"

namespace gradproof {
namespace {

constexpr std::array<std::string_view, 5> kTypes{"integer", "real", "word", "tagged", "text"};

KeyType type_from(const std::string& name) {
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    if (kTypes[i] == name) return static_cast<KeyType>(i);
  throw InstrumentError(fmt::format("'{}' is no type of a key", name));
}

Json key_json(const Key& key) {
  return {{"name", key.name},       {"type", kTypes.at(static_cast<std::size_t>(key.type))},
          {"initial", key.initial}, {"words", key.words},
          {"minimum", key.minimum}, {"maximum", key.maximum},
          {"help", key.help},       {"samples", key.samples},
          {"setting", key.setting}};
}

Key key_from(const Json& json) {
  return {
      json.at("name").get<std::string>(),     type_from(json.at("type").get<std::string>()),
      json.at("initial").get<std::string>(),  json.at("words").get<std::vector<std::string>>(),
      json.at("minimum").get<std::int64_t>(), json.at("maximum").get<std::int64_t>(),
      json.at("help").get<std::string>(),     json.at("samples").get<std::vector<std::string>>(),
      json.at("setting").get<bool>()};
}

Json refusal_json(const Refusal& refusal) {
  Json conditions = Json::array();
  for (const Condition& c : refusal.when)
    conditions.push_back(Json::array({c.key, c.relation, c.text}));
  return {{"when", conditions}, {"message", refusal.message}};
}

Refusal refusal_from(const Json& json) {
  Refusal refusal{{}, json.at("message").get<std::string>()};
  for (const Json& c : json.at("when"))
    refusal.when.push_back(
        {c.at(0).get<std::string>(), c.at(1).get<std::string>(), c.at(2).get<std::string>()});
  return refusal;
}

}  // namespace

Json to_json(const Schema& schema) {
  Json keys = Json::array();
  for (const Key& key : schema.keys) keys.push_back(key_json(key));
  Json refusals = Json::array();
  for (const Refusal& refusal : schema.refusals) refusals.push_back(refusal_json(refusal));
  Json beside = Json::array();
  for (const MemoryTerm& term : schema.beside)
    beside.push_back({{"keys", term.keys}, {"bytes", number_json(term.bytes)}});
  return {{"word", schema.word},
          {"summary", schema.summary},
          {"pipeline", schema.pipeline},
          {"contract", schema.contract},
          {"keys", keys},
          {"refusals", refusals},
          {"size_keys", schema.size_keys},
          {"bytes_per_element", number_json(schema.bytes_per_element)},
          {"beside", beside},
          {"unit_keys", schema.unit_keys},
          {"bytes_per_unit_element", number_json(schema.bytes_per_unit_element)},
          {"tensors", schema.tensors}};
}

Schema schema_from(const Json& json) {
  Schema schema;
  json.at("word").get_to(schema.word);
  json.at("summary").get_to(schema.summary);
  schema.pipeline = json.value("pipeline", "");
  schema.contract = json.value("contract", "");
  for (const Json& key : json.at("keys")) schema.keys.push_back(key_from(key));
  for (const Json& refusal : json.at("refusals")) schema.refusals.push_back(refusal_from(refusal));
  json.at("size_keys").get_to(schema.size_keys);
  schema.bytes_per_element = number_from(json.at("bytes_per_element"));
  for (const Json& term : json.value("beside", Json::array()))
    schema.beside.push_back(
        {term.at("keys").get<std::vector<std::string>>(), number_from(term.at("bytes"))});
  schema.unit_keys = json.at("unit_keys").get<std::vector<std::string>>();
  schema.bytes_per_unit_element = number_from(json.at("bytes_per_unit_element"));
  json.at("tensors").get_to(schema.tensors);
  return schema;
}

std::string schema_line(const Schema& schema) { return dump(to_json(schema)); }

Schema read_schema(std::string_view line) {
  const Json json = parse_json(line, "no schema");
  Schema schema;
  reading("no schema", [&] { schema = schema_from(json); });
  return schema;
}

}  // namespace gradproof
