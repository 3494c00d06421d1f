// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "simt/host.h"

namespace simt {

/// Returns a finding of kind `guard-band` for each dense Memory on the CPU that was written past
/// one of its ends; each is reported once.
std::vector<Finding> check_guard_bands();

}  // namespace simt
