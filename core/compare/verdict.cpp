// SPDX-License-Identifier: Apache-2.0
#include "core/compare/verdict.h"

#include <array>

#include <fmt/format.h>

#include "core/enum_names.h"

namespace gradproof {
namespace {

constexpr std::array<std::string_view, 15> kNames{
    "Passed",           "Failed",    "Improbable", "Regressed",    "Mistrusted",
    "Nondeterministic", "Crashed",   "TimedOut",   "Skipped",      "Incomplete",
    "InstrumentBroken", "certified", "wrong",      "inconclusive", "KnownFailure"};

/// Bounds above this part of the truth, in root mean square, leave room for wrong answers. The
/// coarsest type, bfloat16, rounds to 0.4%: ten roundings at their worst still prove something.
constexpr double kLoose = 0.05;

/// The wrong answer that would have passed as well, judged from the sizes of truth and bound alone;
/// empty where there is no such answer.
std::string unresolved(const Discrepancy& d) {
  const Resolution& r = d.resolution;
  const std::int64_t others = d.elements - r.zeros;
  if (others == 0) return "zeros would pass: every truth is 0";
  if (2 * r.zero_passes > others)
    return fmt::format("zeros would pass in {} of the {} elements whose truth is not 0",
                       r.zero_passes, others);
  if (r.rms_bound > kLoose * r.rms_truth)
    return fmt::format("the bound is {:.3g}% of the truth, by root mean squares",
                       100 * r.bound_over_truth());
  return "";
}

}  // namespace

std::string_view name_of(Outcome outcome) { return kNames[static_cast<std::size_t>(outcome)]; }

Outcome parse_outcome(std::string_view text) {
  return static_cast<Outcome>(place_of_name(kNames, text, "verdict"));
}

std::optional<Outcome> outcome_of_run(std::string_view name) {
  for (const Outcome outcome : {Outcome::crashed, Outcome::timed_out, Outcome::failed,
                                Outcome::nondeterministic, Outcome::skipped})
    if (name_of(outcome) == name) return outcome;
  return std::nullopt;
}

bool is_wrong(Outcome outcome) {
  return outcome == Outcome::failed || outcome == Outcome::improbable ||
         outcome == Outcome::nondeterministic || outcome == Outcome::crashed ||
         outcome == Outcome::timed_out || outcome == Outcome::wrong;
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
  if (std::string lack = unresolved(d); !lack.empty())
    return {Outcome::mistrusted, std::move(lack)};
  if (d.constant_would_pass)
    return {Outcome::mistrusted, "one constant would pass for every element"};
  return {Outcome::passed, ""};
}

}  // namespace gradproof
