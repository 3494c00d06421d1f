// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "properties/laws/calls/reach.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// The first tensor that runs through the kernel; null where there is none.
const TensorSpec* first_input(const Claim& claim) {
  for (const TensorSpec& spec : claim.tensors)
    if (spec.role == Role::input && spec.dtype != DType::i64) return &spec;
  return nullptr;
}

void expect_nan_kept(Trial& t, const LawRun& run, const TensorSpec& from, std::int64_t at) {
  for (const std::string& output : t.claim().graph.outputs) {
    if (!t.claim().has(output)) continue;
    if (const auto reach = LawReach::of_output(t.claim(), from, at, output))
      t.expect(output + " with a NaN in " + from.name,
               reach->all_nan(t.claim().tensor(output), run.left(output)),
               "a NaN of " + from.name + " is lost on the way");
  }
}

/// One NaN, one infinity: y is NaN, or what infinities give, in the element's unit alone, and
/// nothing else has other bits than without it.
void nonfinite_reach_holds(Trial& t) {
  const TensorSpec& from = *first_input(t.claim());
  const std::int64_t at = t.any_of(numel(from.layout.shape));
  const LawReach reach(t.claim(), from, at);
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    const std::string with =
        (std::isnan(bad) ? " with a NaN in " : " with an infinity in ") + from.name;
    const LawRun run =
        t.run_nonfinite(changed(t.inputs(), from.name, [&](double number, std::int64_t i) {
          return i == at ? bad : number;
        }));
    for (const TensorSpec& spec : run.results()) {
      const Tensor& got = run.left(spec.name);
      t.expect_bits(spec.name + with, got, reach.mixed(spec, got, t.run().left(spec.name)));
    }
    if (std::isnan(bad)) expect_nan_kept(t, run, from, at);
  }
}

std::string nonfinite_reach_silence(const Claim& claim) {
  return silences::first_of({silences::fewer_rows_than<1>(claim), silences::nondeterministic(claim),
                             first_input(claim) == nullptr ? "nothing runs through it" : ""});
}

}  // namespace

Law nonfinite_reach() {
  return {"nonfinite_reach",
          "a NaN or an infinity in x reaches what its unit reaches, and nothing else",
          nonfinite_reach_silence, nonfinite_reach_holds};
}

}  // namespace gradproof
