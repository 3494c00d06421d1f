// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "simt/executor/runtime.h"
#include "simt/host.h"

namespace simt::executor {

/// What the device would refuse about this launch, and whether it goes to the caller's stream;
/// static shared memory shows only when a kernel comes to it.
std::vector<Finding> check_launch(const Request& request, const Options& options);

}  // namespace simt::executor
