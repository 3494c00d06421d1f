// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "properties/calibration/calibration.h"
#include "properties/calibration/subject.h"
#include "properties/calibration/tolerances.h"

namespace gradproof {

/// Counts of results: those that the executor found wrong or never saw end; and of the others,
/// which have results to compare, those that the bound and each tolerance flagged.
struct Flagged {
  std::int64_t count = 0;
  std::int64_t by_executor = 0;
  std::int64_t by_bound = 0;
  std::array<std::int64_t, 2 * kTolerances> by_tolerance{};
  std::array<std::int64_t, 2> asked{};  ///< how many had each reference

  void add(bool bound, const Flags& flags);
  void add_executor();
  std::int64_t convicted() const { return by_executor + by_bound; }
  void merge(const Flagged& other);
};

/// The counts of the calibration `fair`. Tallies of parts are merged in any order.
struct CalibrationTally {
  std::int64_t thresholds = 0;  ///< Cases that were drawn at one
  std::int64_t results = 0, tensors = 0, elements = 0, mistrusted = 0, vacuous = 0;
  std::vector<std::string> alarms;
  std::vector<std::string>
      missed;  ///< planted faults that each time must be convicted and were not
  std::vector<std::string> failures;  ///< mutants that could not be judged: what was thrown
  /// The counts by what is counted ("dtype") and its word ("f32").
  std::map<std::string, std::map<std::string, std::int64_t>> distribution;
  std::map<std::string, Flagged> correct;  ///< by who and dtype
  std::map<std::string, Flagged> planted;  ///< by fault
  std::vector<Case> mutants;               ///< planted, not yet run

  void merge(CalibrationTally&& other);
  std::int64_t planted_count() const;
  std::int64_t convicted_count() const;
};

/// Adds the Case's words to the distribution.
void count_case(const CalibrationResult& result, CalibrationTally& tally);

/// The faults that should have been convicted and were not, a line each: an element two bounds off
/// each time, every other fault at least once; and what could not be judged.
std::vector<std::string> acquitted(const CalibrationTally& tally);

/// The tally as tables.
std::vector<CalibrationTable> tables_of(const CalibrationTally& tally);

}  // namespace gradproof
