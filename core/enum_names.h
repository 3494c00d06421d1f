// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"

namespace gradproof {

/// The place of a name in the names of an enum, which stand in the order of its values. Throws
/// InstrumentError for an unknown name; `what` says what the names belong to ("kind of record").
inline std::size_t place_of_name(std::span<const std::string_view> names, std::string_view name,
                                 const char* what) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return i;
  throw InstrumentError("unknown " + std::string(what) + " '" + std::string(name) + "'");
}

}  // namespace gradproof
