// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "core/graph/contract/error_bound.h"

namespace gradproof {

/// "certain", "likely", "typical"
std::string_view name_of(ErrorBound bound);
/// Throws InstrumentError for a name that is none.
ErrorBound parse_error_bound(std::string_view name);

}  // namespace gradproof
