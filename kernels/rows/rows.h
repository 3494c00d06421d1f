// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/kernel.h"

/// One function for each row of the catalog, in a file of its name.
namespace gradproof {

Kernel batchnorm_bias_divide_swish();

}  // namespace gradproof
