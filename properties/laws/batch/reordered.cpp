// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/batch/reordered.h"

namespace gradproof {

void expect_reordered(Trial& t, const PlacesOf& order) {
  const Taking taking(t.claim(), order);
  const LawRun run = t.run(taking.of(t.inputs(), t.claim()));
  for (const TensorSpec& spec : run.results())
    t.expect_near(spec.name + " in another order", run.near(spec.name),
                  taking.of(t.run().near(spec.name), spec));
}

}  // namespace gradproof
