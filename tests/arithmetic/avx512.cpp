// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX-512; tests reach it where the CPU has it.
#define GRADPROOF_ARITHMETIC_UNIT avx512
#include "tests/arithmetic/errors.h"

namespace gradproof::oracle_tests {

ArithmeticUnit avx512_arithmetic() { return this_unit("avx512"); }

}  // namespace gradproof::oracle_tests
