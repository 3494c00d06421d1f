// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"
#include "judge/case_run.h"
#include "judge/model_pairs/linear_run.h"

namespace gradproof {

/// A pair's ModelNew as a system: the epilogue is judged like any kernel whose x is what its own
/// Linear gave, the Linear (z, d_input, gradients of its weight and bias) by a float64 product.
/// The epilogue's results are judged from the network's input too, as "y end to end".
/// Tensors are named as the model names them. Bits are not compared between schedules: a library's
/// product promises none.
std::vector<Record> linear_records(const Case& c, const Record& blank, Detail detail);

/// The epilogue as a run of its own, its bits not run again. Nothing large is copied.
CaseRun epilogue_of(LinearRun&& run);

}  // namespace gradproof
