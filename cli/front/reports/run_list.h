// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "cli/front/options.h"

namespace gradproof {

/// Prints the runs that a folder has: kind, Cases, shard, how they ended, command line. Throws
/// UsageError where there is none.
int list_runs(const std::string& directory);

/// "no run of check in 'DIR'", or what is wrong with the run that was asked for.
std::string no_check_in(const Options& options);

}  // namespace gradproof
