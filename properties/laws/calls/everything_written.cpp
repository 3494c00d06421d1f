// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// A run that keeps digests alone starts with other bytes in all memory that nobody gave numbers.
void everything_written_holds(Trial& t) {
  const LawRun other = t.run_by([&](const Execution& execution) {
    return run_kernel(t.kernel(), t.c(), t.claim(), t.inputs(), execution, Keep::digests);
  });
  for (const auto& [name, digest] : t.run().digests())
    t.expect(name + " over other bytes", other.digests().at(name) == digest,
             "it depends on what its memory held before");
}

}  // namespace

Law everything_written() {
  return {"everything_written",
          "every element of a result is written, whatever lay there",
          silences::nondeterministic,
          everything_written_holds,
          false,
          true};
}

}  // namespace gradproof
