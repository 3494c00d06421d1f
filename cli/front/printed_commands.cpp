// SPDX-License-Identifier: Apache-2.0
#include "cli/front/printed_commands.h"

#include <filesystem>

#include "cli/process/paths.h"

namespace gradproof {

std::string program_as_started(const Options& options) {
  const std::string name = Commands().program;
  const std::string found = on_path(name);
  std::error_code none;
  const bool found_by_name =
      !found.empty() && std::filesystem::equivalent(found, "/proc/self/exe", none);
  return found_by_name || options.command.empty() ? name : options.command.front();
}

Commands commands_of(const Options& options) {
  return {program_as_started(options), options.worker};
}

}  // namespace gradproof
