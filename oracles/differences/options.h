// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gradproof {

struct AuditOptions {
  int digits = 20;           ///< wanted: 20 by double-double, 33 by triple-double
  std::int64_t entries = 0;  ///< of each tensor, a stratified sample; 0: all
  bool direct = false;       ///< every number moved by itself, whatever that costs
};

}  // namespace gradproof
