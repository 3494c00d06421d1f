// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/calls/altered_call.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

void overlap_refused_holds(Trial& t) {
  const auto in_memory_of = [](const char* result, const char* input) {
    return [=](Call& call) { call.views.at(result).data = call.views.at(input).data; };
  };
  expect_refused(t, Pass::forward, "y in the memory of x", in_memory_of("y", "x"));
  if (!t.claim().has("d_x")) return;
  expect_refused(t, Pass::backward, "d_x in the memory of dy", in_memory_of("d_x", "dy"));
  expect_refused(t, Pass::backward, "d_x in the memory of x", in_memory_of("d_x", "x"));
}

}  // namespace

Law overlap_refused() {
  return {"overlap_refused", "a call whose results lie in the memory of its inputs is refused",
          silences::any_of<silences::by_graph, silences::fewer_rows_than<1>>,
          overlap_refused_holds};
}

}  // namespace gradproof
