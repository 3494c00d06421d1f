// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/batch/reordered.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

/// Columns stay in their group.
Places other_columns(const Claim& claim, std::uint64_t seed) {
  const std::int64_t width = claim.groups() > 0 ? claim.block_width() : claim.cols();
  Places places;
  for (std::int64_t first = 0; first < claim.cols(); first += width)
    for (const std::int64_t col : shuffled(width, seed + static_cast<std::uint64_t>(first)))
      places.push_back(first + col);
  return places;
}

}  // namespace

Law columns_reordered() {
  return {"columns_reordered",
          "columns in another order, with their parameters, give their results in that order",
          [](const Claim& claim) {
            return silences::first_of({claim.groups() == claim.cols() || claim.cols() < 2
                                           ? "a column has nobody to change with"
                                           : "",
                                       silences::shared_elements(claim)});
          },
          [](Trial& t) {
            expect_reordered(t, {{Axis::cols, other_columns(t.claim(), t.seed())}});
          }};
}

}  // namespace gradproof
