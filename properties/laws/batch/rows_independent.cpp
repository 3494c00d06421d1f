// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// In the same memory under the same schedule a row's results are the same bit for bit, whatever
/// numbers its neighbours have. The neighbours take the numbers of the rows behind them.
void rows_independent_holds(Trial& t) {
  const std::string axis = row_axis(t.claim());
  const std::int64_t rows = row_count(t.claim());
  const std::int64_t row = t.any_of(rows);
  Places places;
  for (std::int64_t i = 0; i < rows; ++i) places.push_back(i == row ? i : (i + 1) % rows);
  const LawRun other = t.run(Taking(t.claim(), {{axis, places}}).of(t.inputs(), t.claim()));
  const Taking alone(t.claim(), {{axis, {row}}});
  for (const TensorSpec& spec : other.results()) {
    if (!spec.has_axis(axis)) continue;
    const auto of_row = [&](const LawRun& run) { return alone.of(run.left(spec.name), spec); };
    t.expect_bits(spec.name + " of a row beside others", of_row(other), of_row(t.run()));
  }
}

}  // namespace

Law rows_independent() {
  return {"rows_independent", "what a row gives does not depend on the numbers of other rows",
          silences::any_of<silences::rows_tied, silences::fewer_rows_than<2>,
                           silences::shared_elements, silences::nondeterministic>,
          rows_independent_holds};
}

}  // namespace gradproof
