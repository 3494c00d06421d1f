// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/error.h"
#include "core/graph/graph.h"

namespace gradproof {

/// The words in which parse_graph refuses the text; "accepted" where it does not.
inline std::string parse_error(const std::string& text) {
  try {
    parse_graph(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace gradproof
