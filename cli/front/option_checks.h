// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "reports/runs/run_header.h"

/// The checks of an option's text; CLI11 prints what a check says if the text is wrong: "'sample:0'
/// is neither 'all' nor 'sample:N' ...". options.cpp, record_options.cpp, command_line/ and this
/// file alone see CLI11.
namespace gradproof {

/// Lets the option take these words alone, and says so in its help.
CLI::Option* choose(CLI::Option* option, const std::vector<std::string>& words);

/// Accepts a whole number from `least` up.
CLI::Validator whole_from(std::int64_t least);

/// Accepts a number above zero; CLI11's own check lets NaN pass.
CLI::Validator above_zero();

/// The number that `--entries` names: 0 for "all", N for "sample:N"; nothing for other text.
std::optional<std::int64_t> sample_size(const std::string& text);

/// Accepts "all" or "sample:N".
CLI::Validator is_entries();

/// Accepts a whole number from 1 to kMostWorkers.
CLI::Validator is_workers();

/// The shard that `--shard` names, "2/4"; nothing if the text is no shard.
std::optional<Shard> parse_shard(const std::string& text);
CLI::Validator is_shard();

/// Accepts TENSOR[INDEX].
CLI::Validator is_column();

}  // namespace gradproof
