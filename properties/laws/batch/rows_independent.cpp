// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// The same memory, the same schedule: what a row gives is the same bit for bit, whatever numbers
/// its neighbours have.
void rows_independent_holds(Trial& t) {
  const std::int64_t row = t.any_of(t.claim().rows());
  const auto elsewhere = [&](double number, std::int64_t i) {
    return i / t.claim().cols() == row ? number : 1 - number / 2;
  };
  Tensors inputs = changed(t.inputs(), "x", elsewhere);
  if (inputs.contains("dy")) inputs = changed(std::move(inputs), "dy", elsewhere);
  const LawRun other = t.run(inputs);
  const Taking alone(t.claim(), {{Axis::rows, {row}}});
  for (const TensorSpec& spec : other.results()) {
    if (!has_axis(t.claim(), spec, Axis::rows)) continue;
    const auto of_row = [&](const LawRun& run) { return alone.of(run.left(spec.name), spec); };
    t.expect_bits(spec.name + " of a row beside others", of_row(other), of_row(t.run()));
  }
}

}  // namespace

Law rows_independent() {
  return {"rows_independent", "what a row gives does not depend on the numbers of other rows",
          silences::any_of<silences::rows_tied, silences::fewer_rows_than<2>,
                           silences::shared_elements>,
          rows_independent_holds};
}

}  // namespace gradproof
