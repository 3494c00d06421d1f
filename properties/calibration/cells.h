// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "properties/calibration/calibration.h"
#include "properties/calibration/tally.h"

namespace gradproof {

/// Each calibration is cut into pieces that do not know of each other: a piece can be judged in any
/// process, and the report on all of them is that of calibrate_...() (calibration.h).

/// The Cases with these numbers; `end` is left out.
struct CaseRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

/// The Cases 0 to `count` in at most 200 ranges.
std::vector<CaseRange> ranges_of(std::int64_t count);

std::int64_t fair_cases(const CalibrationPlan& plan);
/// Judges its planted mutants too. No other thread may be at work meanwhile.
CalibrationTally fair_tally(const CalibrationPlan& plan, const CaseRange& range);
CalibrationReport fair_report(const CalibrationPlan& plan, const CalibrationTally& tally,
                              double seconds);

/// The distance that some tensors kept from their bounds.
struct StageReach {
  double ratio = 0;        ///< largest error/bound
  double bound = 0;        ///< largest root mean square of a tensor's bounds: 0 where all are exact
  std::int64_t loose = 0;  ///< tensors whose median bound is more than a few roundings of the truth
};

/// The counts of LibTorch on graphs of one step, where it is clear whose bound was reached.
struct StageRow {
  std::int64_t cases = 0;
  StageReach value;
  StageReach gradient;
};

/// The counts of the calibration on drawn graphs. Tallies of parts are merged in any order.
struct GraphTally {
  std::vector<std::string> alarms;
  std::vector<std::string> of_onednn;         ///< what LibTorch does not do without oneDNN
  std::vector<std::string> missed;            ///< planted and passed
  std::map<std::string, StageRow> alone;      ///< by stage and dtype, "gelu bf16"
  std::map<std::string, std::int64_t> drawn;  ///< how often a stage came
  std::int64_t graphs = 0;
  std::int64_t refused = 0;  ///< groups that do not divide, no operator of LibTorch for the type
  std::int64_t tensors = 0;
  std::int64_t elements = 0;
  std::int64_t mistrusted = 0;
  std::int64_t planted = 0;

  void merge(const GraphTally& other);
};

std::int64_t graph_cases(const CalibrationPlan& plan);
GraphTally graph_tally(const CalibrationPlan& plan, const CaseRange& range);
CalibrationReport graph_report(const GraphTally& tally, double seconds);

/// The numbers of rows by verdict: certified, inconclusive, wrong.
using VerdictCounts = std::array<std::int64_t, 3>;

/// The rules that `calibrate sizes` compares (sizes/rules.h).
inline constexpr std::size_t kRules = 10;
using RuleCounts = std::array<std::int64_t, kRules>;

/// A wrong program that the judge lets pass.
struct MissedProgram {
  std::string variant;
  std::string tensor;  ///< that comes nearest to its bound
  double ratio = 0;    ///< there, error/bound
  /// "no further off than chain", or another reason for which a right program may be so far off.
  std::string reason;
};

/// The programs of one computation, type and size.
struct SizeRow {
  std::string computation, dtype;
  std::int64_t size = 0;
  std::int64_t right = 0, wrong = 0;
  std::int64_t alike = 0;  ///< wrong ones whose results have the bits of the right one's
  RuleCounts flagged{};    ///< of the right ones, by each rule
  RuleCounts missed{};     ///< of the wrong ones
  RuleCounts unproved{};   ///< those, or all where the rule flags a right one; the tables' own
  double reach = 0;        ///< largest error/bound of a right one
  std::vector<MissedProgram> misses;
  std::vector<std::string> alarms;  ///< right ones that the judge convicts
};

/// The counts of `calibrate sizes`. Tallies of parts are merged in any order.
struct SizeTally {
  std::vector<SizeRow> rows;

  void merge(const SizeTally& other);
};

/// The names of the computations, types and sizes: "rms_norm f32 4096". Throws UsageError for sizes
/// that the programs do not take.
std::vector<std::string> size_rows(const CalibrationPlan& plan);
/// Throws UsageError for a name that is none of them.
SizeTally size_tally(const CalibrationPlan& plan, const std::string& row);
CalibrationReport size_report(const CalibrationPlan& plan, SizeTally tally, double seconds);

/// The counts of the calibration of the audit. Tallies of parts are merged in any order.
struct AuditTally {
  std::int64_t entries = 0;
  VerdictCounts rows{};
  std::map<std::string, VerdictCounts> by_kernel;
  std::map<std::string, VerdictCounts> planted;  ///< by kind
  std::vector<std::string> alarms;               ///< rows that are wrong
  std::vector<std::string> missed;               ///< planted and certified

  void merge(const AuditTally& other);
};

std::int64_t audit_cases(const CalibrationPlan& plan);
AuditTally audit_tally(const CalibrationPlan& plan, const CaseRange& range);
CalibrationReport audit_report(const CalibrationPlan& plan, const AuditTally& tally,
                               double seconds);

/// The findings of `tight` about one kernel in one type and mode.
struct TightPart {
  std::vector<std::vector<std::string>> peaks, faults, sums;
  std::vector<std::string> above, below;
  std::int64_t tensors = 0, steps = 0, exact = 0;
  double highest = 0, lowest = std::numeric_limits<double>::infinity();
};

/// Names of the kernels, types and modes.
std::vector<std::string> tight_setups(const CalibrationPlan& plan);
/// Throws UsageError for a name that is none of them.
TightPart tight_part(const CalibrationPlan& plan, const std::string& setup);
CalibrationReport tight_report(const std::vector<TightPart>& parts, double seconds);

/// The number of convictions by each judge: executor, both forms of the bound, tolerances.
using Convictions = std::array<std::int64_t, 9>;

/// One mutant over the suite: the number of Cases in which each judge convicts it, and the number
/// of those in which the judge lets the right kernel pass.
struct MutantScore {
  std::string kernel;
  std::int64_t cases = 0;
  Convictions convicted{}, clearly{};
};

/// The scores of all mutants, and of the right kernels beside them.
struct PowerTally {
  std::map<std::string, MutantScore> mutants;
  std::int64_t cases = 0;
  Convictions right{};                     ///< how often each judge flags the right kernel
  std::vector<std::string> failures = {};  ///< mutants that could not be judged: what was thrown

  void merge(const PowerTally& other);
};

std::vector<Case> power_cases(const CalibrationPlan& plan);
/// No other thread may be at work meanwhile.
PowerTally power_tally(const CalibrationPlan& plan, const Case& c);
CalibrationReport power_report(const PowerTally& tally, double seconds);

struct LawConviction {
  std::string mutant;
  std::string law;
  std::string text;  ///< the shrunk Case
};

/// The laws' findings about one mutant.
struct MutantByLaws {
  std::vector<LawConviction> convictions;
  std::vector<std::string> findings;
  bool unsound = false;  ///< one convicts the right kernel too
};

/// The names of the mutants: "KERNEL/MUTANT".
std::vector<std::string> law_mutants(const CalibrationPlan& plan);
/// No other thread may be at work meanwhile.
MutantByLaws mutant_by_laws(const CalibrationPlan& plan, const std::string& mutant);
CalibrationReport laws_report(const std::vector<MutantByLaws>& mutants, double seconds);

}  // namespace gradproof
