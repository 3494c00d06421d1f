// SPDX-License-Identifier: Apache-2.0
#include "cli/front/started.h"

#include <fmt/format.h>

#include "cli/process/paths.h"
#include "core/error.h"

namespace gradproof {
namespace {

constexpr const char* kBuildLab = "cmake --build --preset cpu --target gradproof-lab";

Started started_with(const std::string& program, const Options& options,
                     const Interrupt& interrupt) {
  auto session = std::make_unique<Session>(program, options.deadline, interrupt);
  Planned planned = planned_cases(options, session->schemas());
  return {std::move(session), std::move(planned)};
}

}  // namespace

Started started(const Options& options, const Interrupt& interrupt) {
  const std::string lab = lab_program(options.worker);
  try {
    return started_with(worker_program(options.worker), options, interrupt);
  } catch (const UsageError&) {
    if (!options.worker.empty() || !is_program(lab)) throw;
  }
  return started_with(lab, options, interrupt);
}

std::unique_ptr<Session> started_lab(const Options& options, const Interrupt& interrupt) {
  const std::string lab = lab_program(options.worker);
  if (!is_program(lab))
    throw InstrumentError(
        fmt::format("{} answers this verb, and it is not there; {}", lab, kBuildLab));
  return std::make_unique<Session>(lab, options.deadline, interrupt);
}

}  // namespace gradproof
