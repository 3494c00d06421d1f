// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "judge/explain_case.h"

namespace gradproof {

/// Asks LibTorch about the element's block.
LibTorchAnswer libtorch_answer(const CaseRun& run, const std::string& tensor, std::int64_t index);

/// mean and rstd of the element's unit as the kernel saved them, where there are any. Nothing for a
/// gradient that is a sum over units.
std::vector<SavedStatistic> saved_statistics(const CaseRun& run, const std::string& tensor,
                                             std::int64_t index);

/// "the same bits, 0123456789abcdef", or both digests.
std::string schedule_text(const std::string& first, const std::string& second);
std::string other_schedule_text(const CaseRun& run, const std::string& tensor);

}  // namespace gradproof
