// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "core/graph/contract/error_bound.h"

namespace gradproof {

/// The name of the bound: "certain", "likely" or "typical".
std::string_view name_of(ErrorBound bound);
/// The bound of that name. Throws InstrumentError for an unknown name.
ErrorBound parse_error_bound(std::string_view name);

}  // namespace gradproof
