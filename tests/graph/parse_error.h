// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/error.h"
#include "core/graph/graph.h"

namespace gradproof {

/// What parse_graph says against the text; "accepted" where it says nothing.
inline std::string parse_error(const std::string& text) {
  try {
    parse_graph(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace gradproof
