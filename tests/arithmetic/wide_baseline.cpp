// SPDX-License-Identifier: Apache-2.0
#include "tests/arithmetic/wide_text.h"

namespace gradproof::oracle_tests {

WideUnit baseline_wide() { return this_wide("baseline"); }

}  // namespace gradproof::oracle_tests
