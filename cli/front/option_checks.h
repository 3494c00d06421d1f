// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "reports/runs/run_header.h"

/// What an option's text must be; CLI11 prints what a check says where it is not:
/// "'sample:0' is neither 'all' nor 'sample:N' ...". options.cpp, record_options.cpp and this file
/// alone see CLI11.
namespace gradproof {

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
