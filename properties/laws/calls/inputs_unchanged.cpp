// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/trial.h"

namespace gradproof {

/// A run looks at the bytes of all that is only read, guard bands and padding included, and finds
/// something where they changed.
Law inputs_unchanged() {
  return {"inputs_unchanged", "inputs, parameters and what lies beside them keep their bits",
          [](const Claim&) { return std::string(); },
          [](Trial& t) {
            t.run();
            t.expect("inputs and guard bands", true, "");
          }};
}

}  // namespace gradproof
