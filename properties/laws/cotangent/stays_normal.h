// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "properties/laws/trial.h"

namespace gradproof {

/// True if no number on the way can be so small that its last bits are lost: a factor of 2 is exact
/// then. False for a kernel with exponentials, which may be as small as they like.
bool stays_normal(const LawRun& run);

}  // namespace gradproof
