// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/calls/same_digests.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

void schedules_alike_holds(Trial& t) {
  expect_same_digests(t, "in reverse order",
                      [](simt::Options& options) { options.order = simt::Order::reverse; });
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    expect_same_digests(t, "of schedule random:" + std::to_string(seed),
                        [&](simt::Options& options) {
                          options.order = simt::Order::random;
                          options.seed = seed;
                        });
}

}  // namespace

Law schedules_alike() {
  return {"schedules_alike",
          "reverse order and eight adversarial schedules give the same bits",
          silences::nondeterministic,
          schedules_alike_holds,
          false,
          true};
}

}  // namespace gradproof
