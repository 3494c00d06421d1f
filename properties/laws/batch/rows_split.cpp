// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

void rows_split_holds(Trial& t) {
  const std::int64_t first = (row_count(t.claim()) + 1) / 2;
  const Places above = in_order(0, first);
  const Places below = in_order(first, row_count(t.claim()));
  const LawRun upper = t.run_rows(above);
  const LawRun lower = t.run_rows(below);
  for (const TensorSpec& spec : t.run().results()) {
    const Estimate& whole = t.run().near(spec.name);
    if (spec.has_axis(row_axis(t.claim()))) {
      const auto of = [&](const Places& rows) {
        return Taking(t.claim(), {{row_axis(t.claim()), rows}}).of(whole, spec);
      };
      t.expect_near(spec.name + " of the upper rows", upper.near(spec.name), of(above));
      t.expect_near(spec.name + " of the lower rows", lower.near(spec.name), of(below));
    } else if (spec.role == Role::gradient) {
      t.expect_near(spec.name + " of both halves", upper.near(spec.name) + lower.near(spec.name),
                    whole);
    }
  }
}

}  // namespace

Law rows_split() {
  return {"rows_split",
          "two halves of a batch give the rows of the whole, and gradients that add up",
          silences::any_of<silences::rows_tied, silences::fewer_rows_than<2>,
                           silences::shared_elements>,
          rows_split_holds};
}

}  // namespace gradproof
