// SPDX-License-Identifier: Apache-2.0
#include "cli/worker/own_worker.h"

#include <string>

#include <fmt/format.h>

#include "cli/protocol/channel.h"
#include "cli/protocol/standard_streams.h"
#include "cli/worker/serve.h"
#include "core/error.h"

namespace gradproof {
namespace {

Catalog catalog_of(const std::vector<OwnSystem>& kernels) {
  if (kernels.empty()) throw UsageError("there is no kernel");
  std::vector<Kernel> all;
  for (const OwnSystem& own : kernels) {
    all.push_back(system_of(own.host, own.device, own.counting));
    for (std::size_t k = 0; k + 1 < all.size(); ++k)
      if (all[k].schema->word == all.back().schema->word)
        throw UsageError(fmt::format("two kernels have the word '{}'", all[k].schema->word));
  }
  return Catalog(std::move(all));
}

/// Gives the reason to the front, if there is one, which then prints it in its own name.
int refuse(const std::string& program, const std::string& reason) {
  constexpr int kExitUsage = 2;
  if (WorkerChannel::connected())
    WorkerChannel().error(kUsage, reason);
  else
    complain(program + ": " + reason);
  return kExitUsage;
}

}  // namespace

int serve_own(const std::vector<OwnSystem>& kernels, int count, char** arguments) {
  std::optional<Systems> systems;
  try {
    systems.emplace(Systems{catalog_of(kernels)});
  } catch (const UsageError& error) {
    return refuse(arguments[0], error.what());
  }
  return serve(*systems, count, arguments);
}

}  // namespace gradproof
