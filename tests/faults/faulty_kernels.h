// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "kernels/kernel.h"

namespace gradproof {

/// Kernels that do to their process what no kernel may, as mutants of swish_bias in float32: a Case
/// with `mutant=segfault` ends its worker.
Mutants faulty_kernels();

/// The catalog whose swish_bias itself has that fault in every call of kFaultyRows rows. Throws
/// UsageError for an unknown one.
Catalog with_fault(const Catalog& catalog, const std::string& name);

/// A size that a search and a calibration meet now and then.
inline constexpr std::int64_t kFaultyRows = 32;

}  // namespace gradproof
