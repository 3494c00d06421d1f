// SPDX-License-Identifier: Apache-2.0
#include "tests/arithmetic/errors.h"

namespace gradproof::oracle_tests {

ArithmeticUnit baseline_arithmetic() { return this_unit("baseline"); }

}  // namespace gradproof::oracle_tests
