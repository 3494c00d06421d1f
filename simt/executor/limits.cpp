// SPDX-License-Identifier: Apache-2.0
#include "simt/executor/limits.h"

#include <string>

namespace simt::executor {
namespace {

std::string extent(dim3 d) {
  return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z);
}

bool within(dim3 extent, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return extent.x >= 1 && extent.x <= x && extent.y >= 1 && extent.y <= y && extent.z >= 1 &&
         extent.z <= z;
}

std::vector<Finding> check_limits(const Request& request, const DeviceProfile& profile) {
  std::vector<Finding> findings;
  const auto threads = std::uint64_t{request.block.x} * request.block.y * request.block.z;
  if (!within(request.block, profile.block_x, profile.block_y, profile.block_z) ||
      threads > profile.block_threads) {
    findings.push_back({"launch-config", "a block of " + extent(request.block) + " = " +
                                             std::to_string(threads) + " threads; " + profile.name +
                                             " runs 1 to " + std::to_string(profile.block_threads) +
                                             ", z to 64"});
  }
  if (!within(request.grid, profile.grid_x, profile.grid_y, profile.grid_z)) {
    findings.push_back({"launch-config", "a grid of " + extent(request.grid) + " blocks; " +
                                             profile.name +
                                             " runs 1x1x1 to 2147483647x65535x65535"});
  }
  if (!within(request.cluster, 1, 1, 1)) {
    findings.push_back({"launch-config", "a cluster of " + extent(request.cluster) +
                                             " blocks; the executor runs no clusters yet"});
  }
  if (request.dynamic_bytes > profile.opt_in_shared_bytes) {
    findings.push_back({"shared-memory-limit", std::to_string(request.dynamic_bytes) +
                                                   " bytes of dynamic shared memory; " +
                                                   profile.name + " has " +
                                                   std::to_string(profile.opt_in_shared_bytes)});
  }
  return findings;
}

}  // namespace

std::vector<Finding> check_launch(const Request& request, const Options& options) {
  std::vector<Finding> findings = check_limits(request, options.profile);
  if (options.stream != nullptr && request.stream != options.stream) {
    const std::string where = request.stream == nullptr ? "stream 0" : "a stream of its own";
    findings.push_back({"stream", "kernel launched on " + where + " instead of the caller's"});
  }
  return findings;
}

}  // namespace simt::executor
