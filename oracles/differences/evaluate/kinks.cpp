// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/evaluate/kinks.h"

#include <fmt/format.h>

#include "oracles/pipeline/stage.h"

namespace gradproof {

Met met_by(int rest, int above, int below) {
  if (rest == kOutsideDomain) return Met::domain_at_x;
  if (above == kOutsideDomain || below == kOutsideDomain) return Met::domain;
  if (rest == above && rest == below) return Met::nothing;
  return rest == kOnKink ? Met::kink_at_x : Met::kink;
}

std::string kink_text(Met met, std::string_view stage, std::string_view step, std::size_t element,
                      double move) {
  const bool at_x = met == Met::kink_at_x || met == Met::domain_at_x;
  return fmt::format("{}: {} (step '{}') at element {} of the unit{}",
                     is_kink(met) ? "kink" : "domain", stage, step, element,
                     at_x ? "" : fmt::format(", within 2^{}", std::ilogb(move)));
}

}  // namespace gradproof
