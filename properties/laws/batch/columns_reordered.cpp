// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/batch/reordered.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

/// The order of each axis is another one, but of the rows' and of those whose order a step sees.
PlacesOf other_columns(const Claim& claim, std::uint64_t seed) {
  PlacesOf order;
  for (const auto& [axis, extent] : claim.extents) {
    const std::int64_t width = width_of_groups(claim.graph, axis, extent);
    if (axis == row_axis(claim) || use_of(claim.graph, axis).ordered || width < 2) continue;
    Places& places = order[axis];
    for (std::int64_t first = 0; first < extent; first += width)
      for (const std::int64_t col : shuffled(width, seed + static_cast<std::uint64_t>(first)))
        places.push_back(first + col);
  }
  return order;
}

}  // namespace

Law columns_reordered() {
  return {"columns_reordered",
          "columns in another order, with their parameters, give their results in that order",
          [](const Claim& claim) {
            return silences::first_of(
                {other_columns(claim, 0).empty() ? "a column has nobody to change with" : "",
                 silences::shared_elements(claim)});
          },
          [](Trial& t) { expect_reordered(t, other_columns(t.claim(), t.seed())); }};
}

}  // namespace gradproof
