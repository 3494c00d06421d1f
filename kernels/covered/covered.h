// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/kernel.h"

namespace gradproof {

/// The kernels of this tree, each combination of types compiled by itself and counted line by line:
/// gcov then separates the lines that one combination's Cases reached from those of another.
Catalog covered_catalog();

}  // namespace gradproof
