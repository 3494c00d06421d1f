// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/batch/reordered.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

void groups_reordered_holds(Trial& t) {
  PlacesOf order;
  for (const std::string& axis : axes_of_groups(t.claim())) {
    const std::int64_t count = use_of(t.claim().graph, axis).groups;
    const std::int64_t width = t.claim().extents.at(axis) / count;
    const Places groups = shuffled(count, t.seed());
    Places& places = order[axis];
    for (const std::int64_t group : groups)
      for (std::int64_t k = 0; k < width; ++k) places.push_back(group * width + k);
    order["groups"] = groups;
  }
  expect_reordered(t, order);
}

}  // namespace

Law groups_reordered() {
  return {"groups_reordered",
          "groups in another order, with their parameters, give their results in that order",
          silences::any_of<silences::no_groups, silences::shared_elements>, groups_reordered_holds};
}

}  // namespace gradproof
