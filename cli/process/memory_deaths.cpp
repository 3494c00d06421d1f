// SPDX-License-Identifier: Apache-2.0
#include "cli/process/memory_deaths.h"

#include <array>
#include <fstream>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/process/memory.h"

namespace gradproof {
namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::optional<std::int64_t> deaths_in(const std::string& path) {
  std::ifstream file(path);
  std::string name;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::int64_t count = 0;
    if (words >> name >> count && name == "oom_kill") return count;
  }
  return std::nullopt;
}

/// "; limit 0.5 GiB"; empty where there is none.
std::string limit_text(const std::string& path) {
  constexpr double kNoLimit = 1e18;  // version 1 writes the largest number of pages
  std::ifstream file(path);
  double bytes = 0;
  if (!(file >> bytes) || bytes >= kNoLimit) return "";
  return fmt::format("; limit {:.3g} GiB", bytes / kGiB);
}

std::string address_space_text() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
  return fmt::format("address space is limited to {:.3g} GiB",
                     static_cast<double>(limit.rlim_cur) / kGiB);
}

}  // namespace

MemoryGroup memory_group(const std::string& text, const std::string& root) {
  std::istringstream lines(text);
  MemoryGroup unified;
  for (std::string line; std::getline(lines, line);) {
    // HIERARCHY:CONTROLLERS:PATH
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    const std::string folder = path == "/" ? "" : path;
    if (controllers.find(",memory,") != std::string::npos)
      return {root + "/memory" + folder + "/memory.oom_control",
              root + "/memory" + folder + "/memory.limit_in_bytes"};
    if (controllers == ",,")
      unified = {root + folder + "/memory.events", root + folder + "/memory.max"};
  }
  return unified;
}

MemoryDeaths::MemoryDeaths() : MemoryDeaths(memory_group(text_of_file("/proc/self/cgroup"))) {}

MemoryDeaths::MemoryDeaths(MemoryGroup group)
    : group_(std::move(group)),
      deaths_(deaths_in(group_.deaths_file)),
      log_(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  if (log_ >= 0) lseek(log_, 0, SEEK_END);
}

MemoryDeaths::~MemoryDeaths() {
  if (log_ >= 0) close(log_);
}

std::string MemoryDeaths::line_of_log(pid_t pid) const {
  const std::string killed = fmt::format("Killed process {} ", pid);
  std::array<char, 8192> record{};  // each read gives one: PRIORITY,NUMBER,TIME,FLAGS;TEXT
  while (log_ >= 0) {
    const ssize_t count = read(log_, record.data(), record.size());
    if (count < 0 && errno == EPIPE) continue;  // records that were overwritten meanwhile
    if (count <= 0) break;
    const std::string text(record.data(), static_cast<std::size_t>(count));
    const std::size_t begin = text.find(';');
    if (begin == std::string::npos || text.find(killed) == std::string::npos) continue;
    return text.substr(begin + 1, text.find('\n') - begin - 1);
  }
  return "";
}

std::string MemoryDeaths::evidence(pid_t pid) const {
  if (const std::string line = line_of_log(pid); !line.empty()) return "the kernel's log: " + line;
  const auto now = deaths_in(group_.deaths_file);
  if (deaths_ && now && *now > *deaths_)
    return fmt::format("its control group ended {} for memory{}",
                       *now - *deaths_ == 1 ? "a process" : "processes",
                       limit_text(group_.limit_file));
  if (const std::string limit = address_space_text(); !limit.empty()) return limit;
  return "nothing says that it was memory";
}

}  // namespace gradproof
