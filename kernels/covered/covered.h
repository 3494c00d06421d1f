// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/kernel.h"

namespace gradproof {

/// The kernels of this tree, each combination of types compiled by itself and counted line by line:
/// gcov then tells what the Cases of one reached from what those of another did.
Catalog covered_catalog();

}  // namespace gradproof
