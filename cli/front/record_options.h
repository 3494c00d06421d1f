// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/front/options.h"

namespace gradproof {

/// --records, --resume, --plan and --shard. `planned`: options of which a plan has said all.
void add_records(CLI::App& verb, Options& o, const std::vector<std::string>& planned);

/// The same and --print-plan, of verbs that are cut into cells.
void add_cell_records(CLI::App& verb, Options& o, std::vector<std::string> planned);

/// report, baseline update and merge: verbs that ask no worker.
void add_reports(CLI::App& app, Options& o);

}  // namespace gradproof
