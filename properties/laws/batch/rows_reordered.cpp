// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/batch/reordered.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"

namespace gradproof {

Law rows_reordered() {
  return {"rows_reordered",
          "rows in another order give their results in that order, and the same sums",
          silences::any_of<silences::fewer_rows_than<2>, silences::shared_elements>, [](Trial& t) {
            expect_reordered(t, {{Axis::rows, shuffled(t.claim().rows(), t.seed())}});
          }};
}

}  // namespace gradproof
