// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "properties/laws/calls/reach.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// One NaN, one infinity: y is NaN, or what infinities give, in the element's unit alone, and
/// nothing else has other bits than without it.
void holds(Trial& t) {
  const auto at =
      static_cast<std::int64_t>(t.seed() % static_cast<std::uint64_t>(t.inputs().at("x").numel()));
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const std::string with = std::isnan(bad) ? " with a NaN in x" : " with an infinity in x";
    const LawRun run = t.run_nonfinite(changed(
        t.inputs(), "x", [&](double number, std::int64_t i) { return i == at ? bad : number; }));
    for (const TensorSpec& spec : run.results()) {
      const LawReach reach(t.claim(), spec, at);
      Tensor want = t.run().left(spec.name);
      for (std::int64_t i = 0; i < want.numel(); ++i)
        if (reach.has(i)) want.set(i, run.left(spec.name).at(i));
      t.expect_bits(spec.name + with, run.left(spec.name), want);
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
          silences::any_of<silences::fewer_rows_than<1>, silences::nondeterministic>, holds};
}

}  // namespace gradproof
