// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX2 and FMA; tests reach it where the CPU has them.
#define GRADPROOF_ARITHMETIC_UNIT fma
#include "tests/arithmetic/errors.h"

namespace gradproof::oracle_tests {

ArithmeticUnit fma_arithmetic() { return this_unit("fma"); }

}  // namespace gradproof::oracle_tests
