// SPDX-License-Identifier: Apache-2.0
#include "reports/record/schema_json.h"

#include <array>

#include <fmt/format.h>

#include "core/case/schema_fault.h"
#include "core/enum_names.h"
#include "core/error.h"
#include "reports/record/fields.h"

namespace gradproof {

static constexpr std::array<std::string_view, 5> kTypes{"integer", "real", "word", "tagged",
                                                        "text"};

// These are the functions that fields.h calls; they are found by the types' namespace.

static std::string_view name_of(KeyType type) { return kTypes.at(static_cast<std::size_t>(type)); }
static void parse_name(const std::string& name, KeyType& type) {
  type = static_cast<KeyType>(place_of_name(kTypes, name, "type of a key"));
}

template <class Field>
void each_field(Key& k, const Field& field) {
  field("name", k.name);
  field("type", k.type);
  field("initial", k.initial);
  field("words", k.words);
  field("minimum", k.minimum);
  field("maximum", k.maximum);
  field("help", k.help);
  field("samples", k.samples);
  field("setting", k.setting);
}

template <class Field>
void each_field(Condition& c, const Field& field) {
  field("key", c.key);
  field("relation", c.relation);
  field("text", c.text);
}

template <class Field>
void each_field(Refusal& r, const Field& field) {
  field("when", r.when);
  field("message", r.message);
}

template <class Field>
void each_field(MemoryTerm& t, const Field& field) {
  field("keys", t.keys);
  field("bytes", t.bytes);
}

template <class Field>
void each_field(Schema& s, const Field& field) {
  field("word", s.word);
  field("summary", s.summary);
  field("pipeline", s.pipeline);
  field("contract", s.contract);
  field("by_graph", s.by_graph);
  field("keys", s.keys);
  field("refusals", s.refusals);
  field("size_keys", s.size_keys);
  field("bytes_per_element", s.bytes_per_element);
  field("beside", s.beside);
  field("unit_keys", s.unit_keys);
  field("bytes_per_unit_element", s.bytes_per_unit_element);
  field("tensors", s.tensors);
}

Json to_json(const Schema& schema) { return json_of(schema); }

Schema schema_from(const Json& json) {
  const auto schema = read_json<Schema>(json);
  if (const std::string fault = fault_of(schema); !fault.empty())
    throw InstrumentError(fmt::format("no schema '{}': {}", schema.word, fault));
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
