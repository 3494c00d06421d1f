// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// The leading half of a number's bits; what is left fits the type as well.
double leading(double number, DType dtype) {
  int exponent = 0;
  const double part = std::frexp(number, &exponent);
  const int half = precision_of(dtype) / 2;
  return std::ldexp(std::nearbyint(std::ldexp(part, half)), exponent - half);
}

void cotangent_split_holds(Trial& t) {
  const LawRun large = t.run(changed_cotangents(t.claim(), t.inputs(), leading));
  const LawRun small =
      t.run(changed_cotangents(t.claim(), t.inputs(), [](double number, DType dtype) {
        return number - leading(number, dtype);
      }));
  for (const TensorSpec& spec : large.results())
    if (spec.role == Role::gradient)
      t.expect_near(spec.name + " of two parts of dy",
                    large.near(spec.name) + small.near(spec.name), t.run().near(spec.name));
}

}  // namespace

Law cotangent_split() {
  return {"cotangent_split", "the gradients of two parts of dy add up to those of dy",
          silences::any_of<silences::no_gradients, silences::shared_elements>,
          cotangent_split_holds};
}

}  // namespace gradproof
