// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/claim/stage_traits.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

double doubled(double number, std::int64_t) { return 2 * number; }

/// Whether no number on the way can be so small that its last bits are lost: a factor of 2 is exact
/// then. Exponentials may be as small as they like.
bool stays_normal(const LawRun& run) {
  for (const Step& step : run.claim().pipeline.steps)
    if (traits_of(step).takes_exp) return false;
  for (const TensorSpec& spec : run.claim().tensors) {
    const Tensor& tensor = is_given(spec) ? run.given(spec.name) : run.left(spec.name);
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      if (const double size = std::abs(tensor.at(i));
          size != 0 && (size < 0x1p-10 || size > 0x1p10))
        return false;
  }
  return true;
}

void holds(Trial& t) {
  const LawRun run = t.run(changed(t.inputs(), "dy", doubled));
  const bool exact = stays_normal(t.run());
  for (const TensorSpec& spec : run.results()) {
    if (spec.role != Role::gradient) continue;
    const std::string quantity = spec.name + " of 2 dy";
    const Tensors want = changed({{spec.name, t.run().left(spec.name)}}, spec.name, doubled);
    if (exact) t.expect_bits(quantity, run.left(spec.name), want.at(spec.name));
    if (!exact) t.expect_near(quantity, run.near(spec.name), 2 * t.run().near(spec.name));
  }
}

}  // namespace

Law cotangent_doubled() {
  return {"cotangent_doubled",
          "2 dy gives twice the gradients, bit for bit where no number can be subnormal",
          silences::any_of<silences::no_gradients, silences::shared_elements>, holds};
}

}  // namespace gradproof
