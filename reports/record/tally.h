// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/record.h"

namespace gradproof {

/// The findings of a run, as its exit code needs them.
struct Findings {
  bool usage = false;           ///< the user asked for what cannot be
  bool infrastructure = false;  ///< no worker, or a broken instrument
  bool wrong = false;           ///< Failed, Nondeterministic, Crashed, TimedOut
  bool incomplete = false;      ///< something was never proved, or nothing ran
  bool regressed = false;
};

/// The exit code 2, 3, 1, 4, 5 for usage, infrastructure, wrong, incomplete, regressed: the first
/// that applies; or 0.
int exit_code(const Findings& findings);

/// The findings that one or the other has.
Findings either(const Findings& a, const Findings& b);

/// The numbers of judged tensors by outcome.
struct Tally {
  std::int64_t tensors = 0;
  std::int64_t passed = 0;  ///< certified ones too
  std::int64_t failed = 0;  ///< crashed, timed out, nondeterministic and wrong ones too
  std::int64_t mistrusted = 0;
  std::int64_t skipped = 0;
  std::int64_t incomplete = 0;  ///< broken instruments and unjudged ones, and the gaps
  std::int64_t elements = 0;    ///< of the tensors that a verdict was reached on; audited entries
  std::int64_t broken = 0;      ///< InstrumentBroken alone; these are within `incomplete`
  std::int64_t regressed = 0;
  std::int64_t known_failures = 0;  ///< wrong, and expected to be
  /// Elements by the tier that knew their truth, and those that no tier could decide.
  std::int64_t certified = 0;
  std::int64_t escalated = 0;
  std::int64_t undecided = 0;
  /// The gaps of the run, in words: each tensor of each (kernel, dtype, mode) that was compared and
  /// has neither a trusted pass nor a failure; "no case ran" if there is no record at all. An audit
  /// is about one Case: no row of another proves what it leaves open.
  std::vector<std::string> gaps;

  /// The number of tensors that neither passed nor failed.
  std::int64_t open() const { return tensors - passed - failed; }
  /// Counts a tensor, but not what it leaves unproved.
  void add(const Record& record);
  /// Adds something else that the run leaves unproved.
  void add_gap(const std::string& text);
};

Tally tally(const std::vector<Record>& records);

Findings findings_of(const Tally& tally);

/// The exit code that wins of two (docs/cli.md).
int worse_code(int a, int b);

/// `RESULT passed= failed= mistrusted= skipped= incomplete= elements= seconds=`, plain numbers,
/// with `known=` before `elements=` where failures are known; of an audit `RESULT rows= certified=
/// wrong= inconclusive= entries= seconds=`, where what is neither certified nor wrong is
/// inconclusive.
std::string result_line(const Tally& tally, double seconds,
                        Measured measured = Measured::comparison);

/// `truth  15904312 elements in double-double, 123 at 50 digits or by class, 0 undecided`; empty
/// where no truth was asked for.
std::string truth_line(const Tally& tally);

}  // namespace gradproof
