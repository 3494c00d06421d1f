// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/calls/altered_call.h"

#include "core/error.h"
#include "kernels/harness/calls.h"

namespace gradproof {

void expect_refused(Trial& t, Pass pass, const std::string& what,
                    const std::function<void(Call&)>& alter) {
  const Caller caller(t.kernel(), t.c(), t.execution(), kPoison);
  std::vector<GuardedTensor> given = place_given(t.claim(), caller.backend(), kPoison);
  std::vector<GuardedTensor> results = place_results(t.claim(), caller.backend(), kPoison);
  replace(given, t.inputs());
  Call call = caller.call_on(given, results);
  alter(call);
  const simt::Scope scope(caller.options());
  try {
    pass == Pass::forward ? caller.forward(call) : caller.backward(call);
    t.expect(what, false, "it is not refused");
  } catch (const UsageError&) {
    t.expect(what, true, "");
  }
}

void expect_refused_without(Trial& t, Pass pass, const std::string& tensor) {
  expect_refused(t, pass, tensor + " is missing", [&](Call& call) { call.views.erase(tensor); });
}

}  // namespace gradproof
