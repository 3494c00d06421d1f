// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/front/options.h"
#include "core/case/case.h"

namespace gradproof {

/// The number that all of the text is, in decimal digits; nothing where it is none.
std::optional<std::int64_t> whole_number(std::string_view text);

/// What `--entries` says: 0 of "all", N of "sample:N"; nothing where it says neither.
std::optional<std::int64_t> sample_size(const std::string& text);

/// A number of a tensor, as `--column` names it: "x[3,7]".
struct ColumnText {
  std::string tensor;
  std::vector<std::int64_t> index;  ///< as written: may lie outside
};

/// Nothing for what is no TENSOR[INDEX]: a name and whole numbers with commas between.
std::optional<ColumnText> column_text(const std::string& text);

/// What audit asks the worker for, as Request::arguments: entries=N, digits=D, direct=yes,
/// column=TENSOR[INDEX]; only what differs from the default.
std::vector<std::string> audit_arguments(const Options& options);

/// Throws UsageError for a Case that asks about a law, not about gradients.
void refuse_law(const Case& c);

/// Each system in each of its modes and dtypes, and in 16 bits with parameters of float32 where it
/// has them; everything else at its default: a size that no power of two divides, a divisor that is
/// not 1, parameters that are no identities.
std::vector<Case> every_system(const std::vector<SchemaPtr>& schemas);

}  // namespace gradproof
