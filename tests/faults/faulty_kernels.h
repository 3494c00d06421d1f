// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "kernels/kernel.h"
#include "tests/faults/faulty_rows.h"

namespace gradproof {

/// Kernels that do to their process what no kernel may, as mutants of swish_bias in float32: a Case
/// with `mutant=segfault` ends its worker.
Mutants faulty_kernels();

/// The catalog whose swish_bias itself has that fault in every call of so many rows. Throws
/// UsageError for an unknown one.
Catalog with_fault(const Catalog& catalog, const std::string& name,
                   std::int64_t rows = kFaultyRows);

}  // namespace gradproof
