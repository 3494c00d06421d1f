// SPDX-License-Identifier: Apache-2.0
#include "cli/protocol/request.h"

#include <array>

#include <fmt/format.h>

#include "core/enum_names.h"
#include "reports/runs/found_cell_fields.h"

namespace gradproof {

static constexpr std::array<std::string_view, 3> kDetails{"verdicts", "failures", "all"};

static std::string_view name_of(Detail detail) {
  return kDetails.at(static_cast<std::size_t>(detail));
}

static void parse_name(const std::string& name, Detail& detail) {
  detail = static_cast<Detail>(place_of_name(kDetails, name, "detail"));
}

static constexpr std::array<std::string_view, 2> kSecondWitness{"failures", "all"};

static std::string_view name_of(SecondWitness witness) {
  return kSecondWitness.at(static_cast<std::size_t>(witness));
}

static void parse_name(const std::string& name, SecondWitness& witness) {
  witness = static_cast<SecondWitness>(place_of_name(kSecondWitness, name, "witness"));
}

// The fields of each request (reports/record/fields.h).

template <class Field>
void each_field(CheckRequest& r, const Field& field) {
  field("case", r.case_text);
  field("largest", r.detail);
  field("threads", r.threads);
  field("witness", r.witness);
}

template <class Field>
void each_field(AuditRequest& r, const Field& field) {
  field("case", r.case_text);
  field("entries", r.entries);
  field("digits", r.digits);
  field("direct", r.direct);
  field("kernel", r.kernel);
  field("threads", r.threads);
}

template <class Field>
void each_field(ColumnRequest& r, const Field& field) {
  field("case", r.case_text);
  field("column", r.column);
  field("json", r.json);
}

template <class Field>
void each_field(ExplainRequest& r, const Field& field) {
  field("case", r.case_text);
  field("element", r.element);
  field("json", r.json);
  field("replay", r.replay);
}

template <class Field>
void each_field(LawsRequest& r, const Field& field) {
  field("cases", r.cases);
  field("width", r.width);
}

template <class Field>
void each_field(ChainsRequest& r, const Field& field) {
  field("cases", r.cases);
}

template <class Field>
void each_field(CoverageRequest& r, const Field& field) {
  field("kernels", r.kernels);
  field("files", r.files);
  field("of_f32", r.of_f32);
  field("of_others", r.of_others);
  field("ledger", r.ledger);
  field("lines", r.lines);
  field("write", r.write);
  field("json", r.json);
}

template <class Field>
void each_field(LostCase& l, const Field& field) {
  field("case", l.case_text);
  field("how", l.how);
}

template <class Field>
void each_field(AvoidRequest& r, const Field& field) {
  field("cases", r.cases);
}

template <class Field>
void each_field(LoadRequest&, const Field&) {}

template <class Field>
void each_field(BenchRequest& r, const Field& field) {
  field("name", r.name);
  field("parts", r.parts);
}

template <class Field>
void each_field(CalibrateRequest& r, const Field& field) {
  field("name", r.name);
  field("cases", r.cases);
  field("seed", r.seed);
  field("kernels", r.kernels);
  field("suite", r.suite);
  field("json", r.json);
  field("sizes", r.sizes);
}

template <class Field>
void each_field(ExhaustiveRequest& r, const Field& field) {
  field("kernels", r.kernels);
  field("dtype", r.dtype);
  field("part", r.part);
  field("json", r.json);
}

template <class Field>
void each_field(SearchRequest& r, const Field& field) {
  field("kernels", r.kernels);
  field("dtype", r.dtype);
  field("cases", r.cases);
  field("seconds", r.seconds);
  field("seed", r.seed);
  field("keep", r.keep);
  field("json", r.json);
  field("parts", r.parts);
}

template <class Field>
void each_field(CellsRequest& r, const Field& field) {
  field("request", r.request);
}

template <class Field>
void each_field(RunCellsRequest& r, const Field& field) {
  field("request", r.request);
  field("cells", r.cells);
}

template <class Field>
void each_field(SumCellsRequest& r, const Field& field) {
  field("request", r.request);
  field("found", r.found);
  field("seconds", r.seconds);
}

/// The request whose verb it is: of the K-th type of the variant, or of one behind it.
template <std::size_t K = 0>
static Request request_from(const std::string& verb, const Json& json) {
  if constexpr (K == std::variant_size_v<Request>) {
    throw InstrumentError(fmt::format("no request: unknown verb '{}'", verb));
  } else {
    using R = std::variant_alternative_t<K, Request>;
    return verb == R::kVerb ? read_json<R>(json) : request_from<K + 1>(verb, json);
  }
}

std::string verb_of(const Request& request) {
  return std::visit([](const auto& r) -> std::string { return r.kVerb; }, request);
}

bool asks_about_case(const Request& request) {
  return std::visit(
      [](const auto& r) {
        return requires { r.case_text; };
      },
      request);
}

std::string subject_of(const Request& request) {
  return std::visit(
      [](const auto& r) -> std::string {
        if constexpr (requires { r.case_text; }) return r.case_text;
        return r.kVerb;
      },
      request);
}

std::string to_line(const Request& request) {
  Json json{{"verb", verb_of(request)}};
  json.update(std::visit([](const auto& r) { return json_of(r); }, request));
  return dump(json);
}

Request parse_request(std::string_view line) {
  const Json json = parse_json(line, "no request");
  Request request;
  reading("no request", [&] { request = request_from(json.at("verb").get<std::string>(), json); });
  return request;
}

}  // namespace gradproof
