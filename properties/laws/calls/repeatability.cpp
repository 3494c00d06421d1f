// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/calls/same_digests.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"

namespace gradproof {

Law repeatability() {
  return {"repeatability", "20 runs on one core and on all give the same bits",
          silences::nondeterministic, [](Trial& t) {
            for (int k = 0; k < 20; ++k)
              expect_same_digests(t, "of run " + std::to_string(k),
                                  [&](simt::Options& options) { options.workers = k % 3; });
          }};
}

}  // namespace gradproof
