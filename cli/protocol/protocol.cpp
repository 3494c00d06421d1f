// SPDX-License-Identifier: Apache-2.0
#include "cli/protocol/protocol.h"

#include <fmt/format.h>

#include "core/error.h"
#include "reports/runs/found_cell_fields.h"

namespace gradproof {

template <class Field>
void each_field(Fact& f, const Field& field) {
  field("name", f.name);
  field("text", f.text);
  field("good", f.good);
  field("advice", f.advice);
}

namespace {

struct Writer {
  Json operator()(const Hello& m) const {
    Json schemas = Json::array();
    for (const Schema& schema : m.schemas) schemas.push_back(to_json(schema));
    return {{"hello", m.protocol},
            {"version", m.context.version},
            {"context", json_of(m.context)},
            {"schemas", schemas},
            {"facts", json_of(m.facts)}};
  }
  Json operator()(const Announce& m) const { return {{"announce", m.subject}}; }
  Json operator()(const Record& m) const { return {{"record", to_json(m)}}; }
  Json operator()(AuditPhase m) const { return {{"phase", name_of(m)}}; }
  Json operator()(const TextLine& m) const { return {{"line", m.text}}; }
  Json operator()(const FoundCell& m) const { return json_of(m); }
  Json operator()(const WorkReached& m) const {
    return {{"progress", m.what}, {"now", m.done}, {"of", m.of}};
  }
  Json operator()(const Working& m) const { return {{"working", m.steps}}; }
  Json operator()(const Running& m) const { return {{"running", m.case_text}, {"ended", m.ended}}; }
  Json operator()(const AnswerPart& m) const { return {{"part", m.state}, {"lines", m.lines}}; }
  Json operator()(const Done& m) const {
    return {{"done", true}, {"peak_bytes", number_json(m.peak_bytes)}, {"code", m.code}};
  }
  Json operator()(const Failure& m) const { return {{"error", m.text}, {"kind", m.kind}}; }
};

/// The version comes first: all else may be written differently in another protocol.
Hello hello_from(const Json& json) {
  Hello hello;
  hello.protocol = integer_from<int>(json.at("hello"));
  if (hello.protocol != kProtocol)
    throw InstrumentError(
        fmt::format("the worker speaks protocol {}, this program {}", hello.protocol, kProtocol));
  hello.context = read_json<Context>(json.at("context"));
  for (const Json& schema : json.at("schemas")) hello.schemas.push_back(schema_from(schema));
  hello.facts = read_json<std::vector<Fact>>(json.at("facts"));
  return hello;
}

Message message_from(const Json& json) {
  if (json.contains("hello")) return hello_from(json);
  if (json.contains("announce")) return Announce{json.at("announce").get<std::string>()};
  if (json.contains("record")) return record_from(json.at("record"));
  if (json.contains("phase")) return parse_audit_phase(json.at("phase").get<std::string>());
  if (json.contains("line")) return TextLine{json.at("line").get<std::string>()};
  if (json.contains("working")) return Working{integer_from<std::uint64_t>(json.at("working"))};
  if (json.contains("cell")) return read_json<FoundCell>(json);
  if (json.contains("progress"))
    return WorkReached{json.at("progress").get<std::string>(),
                       integer_from<std::int64_t>(json.at("now")),
                       integer_from<std::int64_t>(json.at("of"))};
  if (json.contains("running"))
    return Running{json.at("running").get<std::string>(), json.at("ended").get<bool>()};
  if (json.contains("part"))
    return AnswerPart{json.at("part").get<std::string>(),
                      json.at("lines").get<std::vector<std::string>>()};
  if (json.contains("done") && json.at("done") != true) throw InstrumentError("'done' is not true");
  if (json.contains("done"))
    return Done{number_from(json.value("peak_bytes", Json(0))),
                integer_from<int>(json.value("code", Json(0)))};
  return Failure{json.at("kind").get<std::string>(), json.at("error").get<std::string>()};
}

std::string about(std::string_view line) {
  constexpr std::size_t kShown = 60;
  return fmt::format("no message of the protocol: '{}{}'", line.substr(0, kShown),
                     line.size() > kShown ? "..." : "");
}

}  // namespace

std::string to_line(const Message& message) { return dump(std::visit(Writer{}, message)); }

Message parse_message(std::string_view line) {
  const std::string what = about(line);
  const Json json = parse_json(line, what);
  Message message;
  reading(what, [&] { message = message_from(json); });
  return message;
}

}  // namespace gradproof
