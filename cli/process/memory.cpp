// SPDX-License-Identifier: Apache-2.0
#include "cli/process/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double number_in(const char* path, double otherwise) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? value : otherwise;  // "max" stands for no limit and is no number
}

double machine_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  double kilobytes = 0;
  for (std::string unit; file >> name >> kilobytes; std::getline(file, unit))
    if (name == "MemAvailable:") return kilobytes * 1024;
  return kInfinity;
}

}  // namespace

double available_memory() {
  const double limit = number_in("/sys/fs/cgroup/memory.max", kInfinity);
  const double used = number_in("/sys/fs/cgroup/memory.current", 0);
  return std::min(machine_memory(), std::max(0.0, limit - used));
}

void refuse_if_too_large(const Case& c, double available, bool whole) {
  const bool may_be_part = whole && c.schema().has("elements");
  const double estimate = memory_estimate(may_be_part ? c.with("elements", "all") : c);
  if (estimate <= available) return;
  std::string sizes;
  for (const std::string& key : c.schema().size_keys)
    sizes += fmt::format("{}={} ", key, c.integer(key));
  throw UsageError(fmt::format(
      "{}in '{}' takes about {:.3g} GiB; available: {:.3g} GiB (--memory GIB overrides)", sizes,
      to_string(c), estimate / kGiB, available / kGiB));
}

}  // namespace gradproof
