// SPDX-License-Identifier: Apache-2.0
#include "reports/record/json.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {

Json number_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number_from(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  const auto text = json.get<std::string>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw InstrumentError(fmt::format("'{}' is no number", text));
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parse_json(std::string_view line, std::string_view what) {
  Json json;
  reading(what, [&] { json = Json::parse(line); });
  return json;
}

void reading(std::string_view what, const std::function<void()>& read) {
  try {
    read();
  } catch (const Json::exception& error) {
    // "[json.exception.out_of_range.403] key 'x' not found": the bracket is of no use to a reader.
    const std::string_view text = error.what();
    const std::size_t bracket = text.find("] ");
    throw InstrumentError(fmt::format(
        "{}: {}", what, bracket == std::string_view::npos ? text : text.substr(bracket + 2)));
  }
}

}  // namespace gradproof
