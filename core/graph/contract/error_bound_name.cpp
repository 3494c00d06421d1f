// SPDX-License-Identifier: Apache-2.0
#include "core/graph/contract/error_bound_name.h"

#include <array>

#include "core/enum_names.h"

namespace gradproof {
namespace {

constexpr std::array<std::string_view, 3> kNames{"certain", "likely", "typical"};

}  // namespace

std::string_view name_of(ErrorBound bound) { return kNames[static_cast<std::size_t>(bound)]; }

ErrorBound parse_error_bound(std::string_view name) {
  return static_cast<ErrorBound>(place_of_name(kNames, name, "bound"));
}

}  // namespace gradproof
