// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/calls/altered_call.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

void bad_calls_refused_holds(Trial& t) {
  expect_refused_without(t, Pass::forward, "x");
  expect_refused(t, Pass::forward, "y of another shape",
                 [](Call& call) { call.views.at("y").shape.at(0) += 1; });
  expect_refused(t, Pass::forward, "x of another type", [](Call& call) {
    DType& dtype = call.views.at("x").dtype;
    dtype = dtype == DType::f64 ? DType::f32 : DType::f64;
  });
  for (const TensorSpec& spec : t.claim().tensors) {
    const bool may_be_absent = spec.name == "weight" || spec.name == "beta";
    const bool saved = spec.name == "mean" || spec.name == "rstd";
    if (saved || (spec.role == Role::parameter && !may_be_absent))
      expect_refused_without(t, Pass::forward, spec.name);
    if (spec.role == Role::parameter)
      expect_refused(t, Pass::forward, spec.name + " of too many numbers", [&](Call& call) {
        call.views.at(spec.name).shape.back() += call.extent("cols") + 1;
      });
  }
  if (t.claim().groups() > 0)
    expect_refused(t, Pass::forward, "groups that do not divide the columns",
                   [](Call& call) { call.extents.at("groups") = call.extent("cols") + 1; });
  if (t.claim().backward) expect_refused_without(t, Pass::backward, "dy");
}

}  // namespace

Law bad_calls_refused() {
  return {
      "bad_calls_refused", "a call whose tensors do not fit each other, or lack one, is refused",
      silences::any_of<silences::by_graph, silences::fewer_rows_than<1>>, bad_calls_refused_holds};
}

}  // namespace gradproof
