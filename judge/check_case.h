// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"
#include "core/second_witness.h"
#include "judge/systems.h"
#include "judge/tensor_records.h"

namespace gradproof {

/// The straight line: Case -> Inputs -> { Kernel, Oracle } -> Discrepancy -> Verdict -> Records.
/// One Record for each judged tensor, in the claim's order, after one for the execution itself
/// where something is wrong with it (a finding of the executor, a guard band, an input that
/// changed).
///   - Gradients are judged from the statistics that the kernel's own forward saved; these are
///   judged.
///   - With steps=k, the buffers go through k training steps and the last one is judged.
///   - A second run under another schedule must give the same bits where the contract promises
///   them.
///   - LibTorch's float64 autograd must agree with the oracle within the bound of its own contract;
///     a tensor where it does not is InstrumentBroken. With SecondWitness::of_failures it is
///     not asked where nothing is wrong, and the Records do not name it.
///   - A model pair has its Linear judged as well (judge/model_pairs/linear_records.h).
/// Throws UsageError for a Case that is too large for the machine and for a kernel that `systems`
/// does not have.
std::vector<Record> check_case(const Systems& systems, const Case& c,
                               Detail detail = Detail::of_all,
                               SecondWitness witness = SecondWitness::of_all);

}  // namespace gradproof
