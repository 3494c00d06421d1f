// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "kernels/definition.h"

namespace gradproof {

/// A kernel of this tree: its unit `host` on the executor, its unit `device` on the GPU.
struct ProductUnit {
  KernelDefinition definition;
  EntryPoints entry;
};

/// All kernels, in the order of kernels/CMakeLists.txt.
std::vector<ProductUnit> product_units();

}  // namespace gradproof
