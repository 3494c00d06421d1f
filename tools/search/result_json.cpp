// SPDX-License-Identifier: Apache-2.0
#include "tools/search/result_json.h"

#include <algorithm>

#include "core/error.h"
#include "reports/record/json.h"

namespace gradproof {
namespace {

constexpr const char* kWhat = "no result of a search";

Json json_of(const Peaks& peaks) {
  Json all = Json::object();
  for (const auto& [tensor, peak] : peaks)
    all[tensor] = {{"ratio", number_json(peak.ratio)},
                   {"inexact", peak.inexact},
                   {"case", peak.c ? Json(to_string(*peak.c)) : Json()},
                   {"at", peak.at},
                   {"cases", peak.cases},
                   {"elements", peak.elements}};
  return all;
}

/// The Case that the JSON names; nothing for null.
std::optional<Case> case_from(const Json& json, const SearchSetup& setup) {
  if (json.is_null()) return std::nullopt;
  return parse_case(json.get<std::string>(), {setup.kernel->schema});
}

Peaks peaks_from(const Json& json, const SearchSetup& setup) {
  Peaks peaks;
  for (const auto& [tensor, peak] : json.items())
    peaks[tensor] = {number_from(peak.at("ratio")),
                     peak.at("inexact").get<bool>(),
                     case_from(peak.at("case"), setup),
                     peak.at("at").get<std::string>(),
                     integer_from<std::int64_t>(peak.at("cases")),
                     integer_from<std::int64_t>(peak.at("elements"))};
  return peaks;
}

Json json_of(const Search::TroubledCase& found) {
  return {{"case", to_string(found.c)},
          {"tensor", found.trouble.tensor},
          {"verdict", name_of(found.trouble.verdict.outcome)},
          {"reason", found.trouble.verdict.reason}};
}

Search::TroubledCase trouble_from(const Json& json, const SearchSetup& setup) {
  return {*case_from(json.at("case"), setup),
          {json.at("tensor").get<std::string>(),
           {parse_outcome(json.at("verdict").get<std::string>()),
            json.at("reason").get<std::string>()}}};
}

const SearchSetup& setup_named(const Json& json, const std::vector<SearchSetup>& setups) {
  const auto found = std::find_if(setups.begin(), setups.end(), [&](const SearchSetup& setup) {
    return json.at("kernel").get<std::string>() == setup.name &&
           json.at("dtype").get<std::string>() == setup.dtype;
  });
  if (found == setups.end()) throw InstrumentError(std::string(kWhat) + " of this request");
  return *found;
}

}  // namespace

std::string state_of(const SearchResult& result) {
  return dump(Json{{"kernel", result.setup.name},
                   {"dtype", result.setup.dtype},
                   {"cases", result.cases},
                   {"drawn", json_of(result.drawn)},
                   {"found", json_of(result.found)},
                   {"trouble", result.trouble ? json_of(*result.trouble) : Json()},
                   {"simplest", result.simplest ? Json(to_string(*result.simplest)) : Json()}});
}

SearchResult result_from(const std::string& state, const std::vector<SearchSetup>& setups) {
  const Json json = parse_json(state, kWhat);
  SearchResult result;
  reading(kWhat, [&] {
    result.setup = setup_named(json, setups);
    result.cases = integer_from<std::int64_t>(json.at("cases"));
    result.drawn = peaks_from(json.at("drawn"), result.setup);
    result.found = peaks_from(json.at("found"), result.setup);
    if (!json.at("trouble").is_null())
      result.trouble = trouble_from(json.at("trouble"), result.setup);
    result.simplest = case_from(json.at("simplest"), result.setup);
  });
  return result;
}

}  // namespace gradproof
