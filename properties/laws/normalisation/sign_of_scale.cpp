// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/normalisation/negated.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

void sign_of_scale_holds(Trial& t) {
  const NormalisedTensor found = *normalised_tensor(t.claim());
  expect_negated(t, found, found.factor);
}

}  // namespace

Law sign_of_scale() {
  return {"sign_of_scale",
          "-scale before a norm with -weight behind it gives the same y and d_x, bit for bit",
          silences::any_of<silences::norm_not_first, silences::no_scale, silences::no_norm_weight,
                           silences::given_mean_shared, silences::nondeterministic>,
          sign_of_scale_holds};
}

}  // namespace gradproof
