// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/batch/reordered.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"

namespace gradproof {

Law rows_reordered() {
  return {"rows_reordered",
          "rows in another order give their results in that order, and the same sums",
          silences::any_of<silences::fewer_rows_than<2>, silences::shared_elements,
                           silences::rows_ordered>,
          [](Trial& t) {
            expect_reordered(t, {{row_axis(t.claim()), shuffled(row_count(t.claim()), t.seed())}});
          }};
}

}  // namespace gradproof
