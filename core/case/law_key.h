// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/schema.h"

namespace gradproof {

/// The key `law`: with it a Case checks one law instead of comparing with the truth. The laws
/// themselves live in properties/, one file each.
inline Key law_key() {
  return {"law",
          KeyType::word,
          "none",
          {"none", "adjoint_identity", "dx_sum", "running_recurrence"},
          0,
          0,
          "check one law instead of the truth",
          {},
          true};
}

}  // namespace gradproof
