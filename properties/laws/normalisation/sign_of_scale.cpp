// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/normalisation/negated.h"
#include "properties/laws/silences.h"

namespace gradproof {

Law sign_of_scale() {
  return {"sign_of_scale",
          "-scale before a norm with -weight behind it gives the same y and d_x, bit for bit",
          silences::any_of<silences::lacks<"scale">, silences::norm_not_first,
                           silences::lacks<"weight">>,
          [](Trial& t) {
            expect_negated(t, {"scale", "weight", "running_mean"});
          }};
}

}  // namespace gradproof
