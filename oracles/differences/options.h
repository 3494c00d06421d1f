// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gradproof {

struct AuditOptions {
  int digits = 20;  ///< wanted digits: up to 20 start in double-double, more in triple-double
  std::int64_t entries = 0;  ///< size of the stratified sample of each tensor; 0: all entries
  bool direct = false;       ///< Method::direct for every number, whatever it costs
};

}  // namespace gradproof
