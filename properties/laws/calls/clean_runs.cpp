// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/trial.h"

namespace gradproof {

/// A run looks at the bytes of all that is only read, guard bands and padding included, and at what
/// launches do; where something is found the law has failed before it says anything.
Law clean_runs() {
  return {"clean_runs",
          "inputs, parameters and what lies beside results keep their bits, and the executor finds "
          "nothing",
          [](const Claim&) { return std::string(); },
          [](Trial& t) {
            t.run();
            t.expect("inputs and guard bands", true, "");
          },
          false,
          true};
}

}  // namespace gradproof
