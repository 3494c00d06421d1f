// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/case/schema.h"
#include "core/compare/record.h"

namespace gradproof {

/// Keys keep the order in which they were written, so that lines read alike.
using Json = nlohmann::ordered_json;

/// A double that reads back to the same bits; JSON has no infinities and no NaN: those are strings.
Json number_json(double value);

/// Throws nlohmann's exception for anything but a number, "inf", "-inf" and "nan".
double number_from(const Json& json);

/// One line without a line feed. Text that is no UTF-8 is mended, never refused.
std::string dump(const Json& json);

/// Reads one line. Throws InstrumentError that names `what` and the fault.
Json parse_json(std::string_view line, std::string_view what);

/// Runs `read`, turning nlohmann's exceptions into InstrumentError that names `what`.
void reading(std::string_view what, const std::function<void()>& read);

Json to_json(const Record& record);
Record record_from(const Json& json);

Json to_json(const Schema& schema);
Schema schema_from(const Json& json);

}  // namespace gradproof
