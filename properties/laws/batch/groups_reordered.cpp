// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/batch/reordered.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

void groups_reordered_holds(Trial& t) {
  const std::int64_t width = t.claim().block_width();
  const Places groups = shuffled(t.claim().groups(), t.seed());
  Places cols;
  for (const std::int64_t group : groups)
    for (std::int64_t col = 0; col < width; ++col) cols.push_back(group * width + col);
  expect_reordered(t, {{Axis::groups, groups}, {Axis::cols, cols}});
}

}  // namespace

Law groups_reordered() {
  return {"groups_reordered",
          "groups in another order, with their parameters, give their results in that order",
          silences::any_of<silences::no_groups, silences::shared_elements>, groups_reordered_holds};
}

}  // namespace gradproof
