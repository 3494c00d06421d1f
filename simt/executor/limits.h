// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "simt/executor/runtime.h"
#include "simt/host.h"

namespace simt::executor {

/// What the device would refuse about this launch; static shared memory shows only when a kernel
/// comes to it.
std::vector<Finding> check_limits(const Request& request, const DeviceProfile& profile);

}  // namespace simt::executor
