// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

void rows_alone_holds(Trial& t) {
  const std::int64_t rows = t.claim().rows();
  for (const std::int64_t row : std::set<std::int64_t>{0, rows / 2, rows - 1}) {
    const LawRun alone = t.run_rows({row});
    for (const TensorSpec& spec : alone.results())
      if (has_axis(t.claim(), spec, Axis::rows))
        t.expect_near(spec.name + " of one row", alone.near(spec.name),
                      Taking(t.claim(), {{Axis::rows, {row}}})
                          .of(t.run().near(spec.name), t.claim().tensor(spec.name)));
  }
}

}  // namespace

Law rows_alone() {
  return {"rows_alone", "a row alone gives what it gives in a batch",
          silences::any_of<silences::rows_tied, silences::fewer_rows_than<2>,
                           silences::shared_elements>,
          rows_alone_holds};
}

}  // namespace gradproof
