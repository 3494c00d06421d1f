// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX2 and FMA; tests reach it where the CPU has them.
#define GRADPROOF_ARITHMETIC_UNIT fma
#include "tests/arithmetic/wide_text.h"

namespace gradproof::oracle_tests {

WideUnit fma_wide() { return this_wide("fma"); }

}  // namespace gradproof::oracle_tests
