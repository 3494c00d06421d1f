// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/kernel.h"

namespace gradproof {

/// Returns every wrong kernel of kernels/mutants.
Mutants mutants();

}  // namespace gradproof
