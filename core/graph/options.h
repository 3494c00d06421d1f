// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "core/graph/graph.h"
#include "core/graph/stages.h"

namespace gradproof {

/// Gives a step the option key=value, in its canonical text. Throws UsageError for a key or a value
/// that its stage does not know; `line` is quoted.
void take_option(GraphStep& step, const GraphStage& row, const std::string& key,
                 const std::string& value, std::string_view line);

/// Throws UsageError where an option without a default is not said, or one exceeds its `at_most`.
void require_options(const GraphStep& step, const GraphStage& row, std::string_view line);

/// The result of a softmax, its logarithm or a logsumexp for a row of nothing but -Inf, all of
/// whose numbers a mask took: its formula's, which is LibTorch's answer too, or the one that the
/// text says. Kernels of attention write 0.
enum class EmptyRows { as_written, zero, any };

/// As the step's text says it; of a stage that has no such rows as it is written.
EmptyRows empty_rows(const GraphStep& step);

}  // namespace gradproof
