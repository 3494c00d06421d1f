// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/normalisation/negated.h"
#include "properties/laws/silences.h"

namespace gradproof {

Law sign() {
  return {"sign", "-x with -weight gives the same y and the negated d_x, bit for bit",
          silences::any_of<silences::norm_not_first, silences::lacks<"weight">,
                           silences::shared_elements>,
          [](Trial& t) {
            expect_negated(t, {"x", "weight", "running_mean"});
          }};
}

}  // namespace gradproof
