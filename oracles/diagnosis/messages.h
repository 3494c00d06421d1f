// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/claim/claim.h"
#include "oracles/diagnosis/edit.h"
#include "oracles/pipeline/compiled_pipeline.h"

namespace gradproof::diagnosis {

/// "Swish"; "the second Swish" where there are several.
std::string step_text(const CompiledPipeline& compiled, std::size_t step);

/// "x", "the value behind Bias"
std::string value_text(const CompiledPipeline& compiled, std::size_t node);

/// "dy", "the cotangent behind Bias", "d_x"
std::string cotangent_text(const CompiledPipeline& compiled, std::size_t node);

/// "the first 128 rows", "rows 3, 11, ...", "all rows but rows 32 to 63"; `one` is "row" or
/// "column".
std::string range_text(const Range& range, std::int64_t extent, const std::string& one);

}  // namespace gradproof::diagnosis
