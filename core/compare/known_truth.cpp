// SPDX-License-Identifier: Apache-2.0
#include "core/compare/known_truth.h"

#include <array>

#include "core/enum_names.h"

namespace gradproof {
namespace {

constexpr std::array<std::string_view, 3> kKnownTruths{"no elements", "vanishing by mathematics",
                                                       "constant by mathematics"};

}  // namespace

std::string_view name_of(KnownTruth known) { return kKnownTruths[static_cast<std::size_t>(known)]; }

KnownTruth parse_known_truth(std::string_view name) {
  return static_cast<KnownTruth>(place_of_name(kKnownTruths, name, "known truth"));
}

Verdict with_known_truth(const Verdict& verdict, const Discrepancy& found,
                         std::optional<KnownTruth> known) {
  const bool doubted = verdict.outcome == Outcome::mistrusted;
  if (!known || !doubted || found.vacuous > 0) return verdict;
  if (known != KnownTruth::constant || found.resolution.zeros == found.elements)
    return {Outcome::passed, ""};
  Discrepancy constant = found;
  constant.constant_would_pass = false;
  return judge(constant);
}

}  // namespace gradproof
