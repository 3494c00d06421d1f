// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

void rows_alone_holds(Trial& t) {
  const std::int64_t rows = row_count(t.claim());
  for (const std::int64_t row : std::set<std::int64_t>{0, rows / 2, rows - 1}) {
    const LawRun alone = t.run_rows({row});
    for (const TensorSpec& spec : alone.results())
      if (spec.has_axis(row_axis(t.claim())))
        t.expect_near(spec.name + " of one row", alone.near(spec.name),
                      Taking(t.claim(), {{row_axis(t.claim()), {row}}})
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
