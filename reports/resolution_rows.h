// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/compare/record.h"
#include "reports/text/text_table.h"

namespace gradproof {

/// The resolution of a run's passes, the worst of each kernel's tensor in each dtype: a head, then
/// kernel, tensor, dtype, passes, the largest `whole`, `median` and bound/truth
/// (core/compare/resolution.h) of any of them, and the Case of the largest `whole`. Tensors that no
/// factor moves, all 0, NaN or infinite, are left out.
std::vector<TextRow> resolution_rows(const std::vector<Record>& records);

}  // namespace gradproof
