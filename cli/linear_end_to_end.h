// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/case.h"
#include "core/record.h"
#include "fixtures/linear/linear_run.h"

namespace gradproof {

/// The epilogue's results from the network's input: the truth starts at the exact product, and the
/// bound is composed of what the product may be off by, carried through the epilogue, and of the
/// epilogue's own. Tensors are called "y end to end". At large sizes blocks drawn by the Case's
/// seed are judged alone, and the witness says so.
std::vector<Record> end_to_end_records(const Case& c, const LinearRun& run);

}  // namespace gradproof
