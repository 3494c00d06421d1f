// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {

/// A claim whose elements are explained one by one.
inline ClaimOptions explained_options(const std::string& system, std::int64_t groups = 0) {
  return {.system = system, .rows = 24, .cols = 12, .groups = groups};
}

}  // namespace gradproof::oracle_tests
