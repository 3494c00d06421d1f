// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// running_var alone has N - 1 in it, which does not double.
void rows_twice_holds(Trial& t) {
  Places twice = in_order(0, row_count(t.claim()));
  twice.insert(twice.end(), twice.begin(), twice.end());
  const Taking taking(t.claim(), {{row_axis(t.claim()), twice}});
  const LawRun run = t.run_rows(twice);
  for (const TensorSpec& spec : t.run().results()) {
    if (spec.name == "running_var" && t.claim().update_running()) continue;
    const bool sums = spec.role == Role::gradient && !spec.has_axis(row_axis(t.claim()));
    t.expect_near(spec.name + " of each row twice", run.near(spec.name),
                  (sums ? 2 : 1) * taking.of(t.run().near(spec.name), spec));
  }
}

}  // namespace

Law rows_twice() {
  return {"rows_twice",
          "each row twice gives each result twice, and twice the parameters' gradients",
          silences::any_of<silences::fewer_rows_than<1>, silences::shared_elements,
                           silences::rows_summed>,
          rows_twice_holds};
}

}  // namespace gradproof
