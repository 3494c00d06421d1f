// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/front/options.h"
#include "reports/text/commands.h"

namespace gradproof {

/// The program as it was started: "gradproof" where the shell finds this very program by that name.
std::string program_as_started(const Options& options);

/// The commands that are printed to go on with, for the same folder and the same worker.
Commands commands_of(const Options& options);

}  // namespace gradproof
