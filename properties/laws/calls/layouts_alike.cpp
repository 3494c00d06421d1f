// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// The kernel may add in another order where it reads in another one, so that bounds decide.
void layouts_alike_holds(Trial& t) {
  for (const char* layout : {"contiguous", "padded", "offset", "transposed"}) {
    const Case c =
        t.c().with("layout", layout).with("out_layout", "same").with("dy_layout", layout);
    const Claim claim = t.kernel().claim(c);
    const LawRun run = t.run(c, Taking(t.claim(), {}).of(t.inputs(), claim));
    for (const TensorSpec& spec : run.results())
      t.expect_near(spec.name + " of " + layout + " memory", run.near(spec.name),
                    t.run().near(spec.name));
  }
}

}  // namespace

Law layouts_alike() {
  return {"layouts_alike", "any layout, offset and alignment gives what contiguous memory gives",
          silences::by_graph, layouts_alike_holds};
}

}  // namespace gradproof
