// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/elementwise.h"

#include "core/error.h"

namespace gradproof {

void no_function_of(const GraphStep& step) {
  throw InstrumentError("no function of one number for stage '" + step.stage + "'");
}

}  // namespace gradproof
