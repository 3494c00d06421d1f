// SPDX-License-Identifier: Apache-2.0
#include "cli/worker/own_worker.h"

#include <string>

#include <fmt/format.h>

#include "cli/protocol/standard_streams.h"
#include "cli/worker/serve.h"
#include "core/error.h"

namespace gradproof {
namespace {

Catalog catalog_of(const std::vector<OwnSystem>& kernels) {
  if (kernels.empty()) throw UsageError("there is no kernel");
  std::vector<Kernel> all;
  for (const OwnSystem& own : kernels) {
    all.push_back(system_of(own.host, own.device));
    for (std::size_t k = 0; k + 1 < all.size(); ++k)
      if (all[k].schema->word == all.back().schema->word)
        throw UsageError(fmt::format("two kernels have the word '{}'", all[k].schema->word));
  }
  return Catalog(std::move(all));
}

}  // namespace

int serve_own(const std::vector<OwnSystem>& kernels, int count, char** arguments) {
  constexpr int kExitUsage = 2;
  std::optional<Systems> systems;
  try {
    systems.emplace(Systems{catalog_of(kernels)});
  } catch (const UsageError& error) {
    complain(std::string(arguments[0]) + ": " + error.what());
    return kExitUsage;
  }
  return serve(*systems, count, arguments);
}

}  // namespace gradproof
