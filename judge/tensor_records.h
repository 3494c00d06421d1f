// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "judge/cross_check.h"
#include "judge/run_case.h"

namespace gradproof {

/// The judgements by tensor.
using Comparisons = std::map<std::string, Judged, std::less<>>;

/// Compares the judged run with the oracle: truth and bound are streamed unit by unit, no tensor of
/// truths is held.
Comparisons compare_run(const CaseRun& run);

/// The witnesses that are asked about a tensor: the oracle, a second witness if there is one, and
/// the number of elements that took more digits.
std::string witness_text(std::int64_t escalated, const std::string& second);

/// The verdict on a tensor that was compared: its Discrepancy, what a pass would prove, and whether
/// the second schedule gave the same bits where the contract promises them.
Verdict kernel_verdict(const CaseRun& run, const std::string& tensor, const Discrepancy& found);

/// The verdict, or Nondeterministic where it holds and the digests of two runs differ.
Verdict same_bits_or(const Verdict& verdict, const std::string& once, const std::string& again);

/// One Record for each judged tensor, outputs first, then buffers and gradients. InstrumentBroken
/// where LibTorch contradicts the oracle.
std::vector<Record> tensor_records(const CaseRun& run, const Comparisons& compared,
                                   const CrossCheck& libtorch, const Record& blank, Detail detail);

}  // namespace gradproof
