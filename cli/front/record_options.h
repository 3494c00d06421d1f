// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/front/options.h"

namespace gradproof {

/// Adds --records, --resume, --plan and --shard. A plan excludes the options named in `planned`.
void add_records(CLI::App& verb, Options& o, const std::vector<std::string>& planned);

/// Adds these and --print-plan, to verbs that are cut into cells.
void add_cell_records(CLI::App& verb, Options& o, std::vector<std::string> planned);

/// Adds report, baseline update and merge: verbs that ask no worker.
void add_reports(CLI::App& app, Options& o);

}  // namespace gradproof
