// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "reports/runs/run_header.h"

/// What an option's text must be; CLI11 prints what a check says where it is not:
/// "'sample:0' is neither 'all' nor 'sample:N' ...". options.cpp, record_options.cpp, command_line/
/// and this file alone see CLI11.
namespace gradproof {

/// Lets the option take these words alone, and says so in its help.
CLI::Option* choose(CLI::Option* option, const std::vector<std::string>& words);

/// A whole number from `least` up.
CLI::Validator whole_from(std::int64_t least);

/// CLI11's own check lets NaN pass.
CLI::Validator above_zero();

/// What `--entries` says: 0 of "all", N of "sample:N"; nothing where it says neither.
std::optional<std::int64_t> sample_size(const std::string& text);

/// all, or sample:N.
CLI::Validator is_entries();

/// A whole number from 1 to kMostWorkers.
CLI::Validator is_workers();

/// What `--shard` says: "2/4"; nothing where that is no shard.
std::optional<Shard> parse_shard(const std::string& text);
CLI::Validator is_shard();

/// TENSOR[INDEX].
CLI::Validator is_column();

}  // namespace gradproof
