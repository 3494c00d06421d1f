// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "core/case/schema.h"

namespace gradproof {

/// One JSON line without a line feed, as a worker's hello carries it (docs/cli.md).
std::string schema_line(const Schema& schema);

/// Throws InstrumentError for text that is no Schema, and for a Schema that no Case can have
/// (core/case/schema_fault.h).
Schema read_schema(std::string_view line);

}  // namespace gradproof
