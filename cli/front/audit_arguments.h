// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/front/options.h"
#include "core/case/case.h"

namespace gradproof {

/// What `--entries` says: 0 of "all", N of "sample:N"; nothing where it says neither.
std::optional<std::int64_t> sample_size(const std::string& text);

/// What audit asks the worker for, as Request::arguments: entries=N, digits=D, direct=yes,
/// column=TENSOR[INDEX]; only what differs from the default.
std::vector<std::string> audit_arguments(const Options& options);

/// Each system in each of its modes and dtypes, and in 16 bits with parameters of float32 where it
/// has them; everything else at its default: a size that no power of two divides, a divisor that is
/// not 1, parameters that are no identities.
std::vector<Case> every_system(const std::vector<SchemaPtr>& schemas);

}  // namespace gradproof
