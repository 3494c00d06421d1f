// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "core/compare/record.h"

namespace gradproof {

/// The version of a Record's JSON (docs/records.md). It grows when a key changes its meaning or
/// goes.
inline constexpr int kRecordSchema = 5;

/// One JSON line without a line feed; read_record gives the same Record back, bit for bit.
std::string record_line(const Record& record);

/// Throws InstrumentError for text that is no Record, or one of another schema version.
Record read_record(std::string_view line);

}  // namespace gradproof
