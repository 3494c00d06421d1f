// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/compare/discrepancy.h"

namespace gradproof {

enum class Outcome {
  passed,
  failed,
  improbable,  ///< further off than roundings are likely to be, and no further than they can be
  regressed,
  mistrusted,        ///< a pass that proves little; the reason says why
  nondeterministic,  ///< repeated runs differ although the contract promises the same bits
  crashed,
  timed_out,
  skipped,
  incomplete,
  instrument_broken,  ///< two witnesses disagree, or the instrument failed
  certified,          ///< of a gradient: differences and all witnesses agree with the adjoint
  wrong,              ///< of a gradient: differences or a witness contradict
  inconclusive,       ///< of a gradient: of some entries nothing can be said
  known_failure       ///< wrong, as a file of known failures says it is; the reason has both
};

/// The outcome with its reason; never a bool.
struct Verdict {
  Outcome outcome = Outcome::incomplete;
  std::string reason;
};

std::string_view name_of(Outcome outcome);

/// A verdict that a run can have whatever its results are (Crashed, TimedOut, Failed,
/// Nondeterministic, Skipped), by its name; nothing for any other word.
std::optional<Outcome> outcome_of_run(std::string_view name);

/// True for Failed, Improbable, Nondeterministic, Crashed, TimedOut, wrong: the kernel is at fault.
bool is_wrong(Outcome outcome);

/// Throws InstrumentError for an unknown name.
Outcome parse_outcome(std::string_view text);

/// Failed when an element is over its bound; InstrumentBroken when one is undecided; Mistrusted
/// when a wrong answer would have passed as well (zeros in most elements, one constant, any within
/// a bound over 5% of the truth, a vacuous bound, no elements).
Verdict judge(const Discrepancy& discrepancy);

}  // namespace gradproof
