// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX-512; tests reach it where the CPU has it.
#define GRADPROOF_ARITHMETIC_UNIT avx512
#include "tests/arithmetic/wide_text.h"

namespace gradproof::oracle_tests {

WideUnit avx512_wide() { return this_wide("avx512"); }

}  // namespace gradproof::oracle_tests
