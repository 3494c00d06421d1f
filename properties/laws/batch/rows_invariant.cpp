// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// One row alone, all rows with each at another place, each row twice: the same bits of that row.
void rows_invariant_holds(Trial& t) {
  const std::string axis = row_axis(t.claim());
  const std::int64_t rows = row_count(t.claim());
  const std::int64_t row = t.any_of(rows);
  Places moved = in_order(1, rows);
  moved.push_back(0);
  Places twice = in_order(0, rows);
  twice.insert(twice.end(), moved.begin(), moved.end());
  for (const Places& batch : {Places{row}, moved, twice}) {
    const LawRun run = t.run_rows(batch);
    for (const TensorSpec& spec : run.results()) {
      if (!spec.has_axis(axis)) continue;
      const Tensor want = Taking(t.claim(), {{axis, {row}}})
                              .of(t.run().left(spec.name), t.claim().tensor(spec.name));
      for (std::int64_t place = 0; place < std::ssize(batch); ++place)
        if (batch[static_cast<std::size_t>(place)] == row)
          t.expect_bits(spec.name + " of a row in another batch",
                        Taking(run.claim(), {{axis, {place}}}).of(run.left(spec.name), spec), want);
    }
  }
}

}  // namespace

Law rows_invariant() {
  return {"rows_invariant", "a row gives the same bits whatever its batch and its place in it",
          silences::any_of<silences::rows_tied, silences::fewer_rows_than<2>,
                           silences::shared_elements, silences::nondeterministic>,
          rows_invariant_holds, true};
}

}  // namespace gradproof
