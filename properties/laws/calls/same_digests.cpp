// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/calls/same_digests.h"

namespace gradproof {

void expect_same_digests(Trial& t, const std::string& when,
                         const std::function<void(simt::Options&)>& change) {
  const LawRun other = t.run_by([&](Execution execution) {
    change(execution.options);
    return run_kernel(t.kernel(), t.c(), t.claim(), t.inputs(), execution, Keep::digests);
  });
  std::string differ;
  for (const auto& [name, digest] : t.run().digests())
    if (other.digests().at(name) != digest) differ += (differ.empty() ? "" : " ") + name;
  t.expect("results " + when, differ.empty(), "other bits of " + differ);
}

}  // namespace gradproof
