// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/case/schema.h"
#include "core/compare/record.h"
#include "core/error.h"

namespace gradproof {

/// Keys keep the order in which they were written, so that lines read alike.
using Json = nlohmann::ordered_json;

/// A double that reads back to the same bits; JSON has no infinities and no NaN: those are strings.
Json number_json(double value);

/// Throws nlohmann's exception for anything but a number, "inf", "-inf" and "nan".
double number_from(const Json& json);

/// One line without a line feed. Text that is no UTF-8 is mended, never refused.
std::string dump(const Json& json);

/// The whole number that the JSON is. nlohmann converts by a cast: 1e300 would be undefined, 2^32 +
/// 1 would be the int 1, `true` and 1.5 would be 1. Throws InstrumentError for these.
template <std::integral T>
T integer_from(const Json& json) {
  const auto fits = [&](auto number) { return std::in_range<T>(number); };
  if (json.is_number_unsigned() && fits(json.get<std::uint64_t>())) return json.get<T>();
  if (json.is_number_integer() && !json.is_number_unsigned() && fits(json.get<std::int64_t>()))
    return json.get<T>();
  throw InstrumentError("'" + dump(json) + "' is no whole number that fits here");
}

/// Reads one line. Throws InstrumentError that names `what` and the fault.
Json parse_json(std::string_view line, std::string_view what);

/// Runs `read`, turning nlohmann's exceptions into InstrumentError that names `what`.
void reading(std::string_view what, const std::function<void()>& read);

Json to_json(const Record& record);
Record record_from(const Json& json);

Json to_json(const Discrepancy& discrepancy);
Discrepancy discrepancy_from(const Json& json);

Json to_json(const Schema& schema);
/// Throws InstrumentError for a Schema that no Case can have, and nlohmann's exceptions.
Schema schema_from(const Json& json);

}  // namespace gradproof
