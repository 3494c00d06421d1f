// SPDX-License-Identifier: Apache-2.0
#include "tests/oracle_arithmetic_errors.h"

namespace gradproof::oracle_tests {

ArithmeticUnit baseline_arithmetic() { return this_unit("baseline"); }

}  // namespace gradproof::oracle_tests
