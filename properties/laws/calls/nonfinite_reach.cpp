// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "properties/laws/calls/reach.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// One NaN, one infinity: y is NaN, or what infinities give, in the element's unit alone, and
/// nothing else has other bits than without it.
void nonfinite_reach_holds(Trial& t) {
  const std::int64_t at = t.any_of(t.inputs().at("x").numel());
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    const std::string with = std::isnan(bad) ? " with a NaN in x" : " with an infinity in x";
    const LawRun run = t.run_nonfinite(changed(
        t.inputs(), "x", [&](double number, std::int64_t i) { return i == at ? bad : number; }));
    for (const TensorSpec& spec : run.results()) {
      const Tensor& got = run.left(spec.name);
      const LawReach reach(t.claim(), spec, at);
      t.expect_bits(spec.name + with, got, reach.mixed(got, t.run().left(spec.name)));
    }
    if (std::isnan(bad))
      t.expect("y with a NaN in x",
               LawReach(t.claim(), t.claim().tensor("y"), at).all_nan(run.left("y")),
               "a NaN of x is lost on the way");
  }
}

}  // namespace

Law nonfinite_reach() {
  return {"nonfinite_reach",
          "a NaN or an infinity in x reaches what its unit reaches, and nothing else",
          silences::any_of<silences::fewer_rows_than<1>, silences::nondeterministic>,
          nonfinite_reach_holds};
}

}  // namespace gradproof
