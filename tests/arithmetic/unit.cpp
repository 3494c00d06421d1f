// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set.
#include "tests/arithmetic/unit.h"

#include "tests/arithmetic/certified_functions.h"
#include "tests/arithmetic/errors.h"

namespace gradproof::oracle_tests {

template <>
ArithmeticUnit arithmetic_of<InstructionSet::GRADPROOF_ARITHMETIC_UNIT>() {
  return {InstructionSet::GRADPROOF_ARITHMETIC_UNIT,
          kPackLanes,
          strangers_of,
          certified_both,
          function_both,
          bounding_both,
          exp_both,
          reduced_pack,
          reduced_errors_by};
}

}  // namespace gradproof::oracle_tests
