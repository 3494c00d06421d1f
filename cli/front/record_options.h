// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>

#include "cli/front/options.h"

namespace gradproof {

/// --records, --resume, --plan and --shard, of check and audit.
void add_records(CLI::App& verb, Options& o);

/// report, baseline update and merge: verbs that ask no worker.
void add_reports(CLI::App& app, Options& o);

}  // namespace gradproof
