// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "simt/executor/runtime.h"
#include "simt/host.h"

namespace simt::executor {

/// Returns findings for what the device would refuse about this launch, and for a stream other than
/// the caller's; too much static shared memory shows only when a kernel comes to its declaration.
std::vector<Finding> check_launch(const Request& request, const Options& options);

}  // namespace simt::executor
