// SPDX-License-Identifier: Apache-2.0
#include "core/verdict.h"

#include <array>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

constexpr std::array<std::string_view, 10> kNames{
    "Passed",  "Failed",   "Regressed", "Mistrusted", "Nondeterministic",
    "Crashed", "TimedOut", "Skipped",   "Incomplete", "InstrumentBroken"};

}  // namespace

std::string_view name_of(Outcome outcome) { return kNames[static_cast<std::size_t>(outcome)]; }

Outcome parse_outcome(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == text) return static_cast<Outcome>(i);
  throw UsageError(fmt::format("unknown verdict '{}'", text));
}

Verdict judge(const Discrepancy& d) {
  if (d.bad > 0)
    return {Outcome::failed, fmt::format("{} of {} elements over the bound", d.bad, d.elements)};
  if (d.undecided > 0)
    return {Outcome::instrument_broken,
            fmt::format("the truth's radius cannot decide {} elements", d.undecided)};
  if (d.elements == 0) return {Outcome::mistrusted, "no elements"};
  if (d.vacuous > 0)
    return {Outcome::mistrusted, fmt::format("the bound of {} elements is vacuous", d.vacuous)};
  if (d.resolution.zeros + d.resolution.zero_passes == d.elements)
    return {Outcome::mistrusted, "zeros would pass: the truth is under the bound"};
  if (d.constant_would_pass)
    return {Outcome::mistrusted, "one constant would pass for every element"};
  return {Outcome::passed, ""};
}

}  // namespace gradproof
