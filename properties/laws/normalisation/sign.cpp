// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/normalisation/negated.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

void sign_holds(Trial& t) {
  const NormalisedTensor found = *normalised_tensor(t.claim());
  expect_negated(t, found, found.tensor);
}

}  // namespace

Law sign() {
  return {"sign", "-x with -weight gives the same y and the negated d_x, bit for bit",
          silences::any_of<silences::norm_not_first, silences::no_norm_weight,
                           silences::given_mean_shared, silences::shared_elements,
                           silences::nondeterministic>,
          sign_holds};
}

}  // namespace gradproof
