// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/front/options.h"
#include "cli/process/job_queue.h"
#include "core/case/case.h"
#include "core/compare/record.h"
#include "reports/runs/run_header.h"

namespace gradproof {

/// Throws UsageError unless the cases come from exactly one place.
void require_one_source(const Options& options);

/// The Cases of a plan that are to be judged.
struct Scope {
  std::string plan;                ///< content id
  std::int64_t cases = 0;          ///< of the plan
  std::vector<Shard> shards = {};  ///< empty: all
};

struct Planned {
  std::vector<Case> cases;  ///< each once
  Scope scope;
  double memory = 0;     ///< bytes that cases under way may take together
  std::string left_out;  ///< "17 of 120 cases left out: ..."; empty when none is
};

/// The kind of the verb: differences for `audit` or a plan for it, else a comparison.
Measured kind_of(const Options& options);

/// The estimated cost of a Case: its elements, and what every Case takes however small.
double cost_of(const Case& c);

/// All cases that the options ask for, parsed, with --with applied, none too large for the memory.
/// Cases that --with is not for (their system has no such key or value, or refuses it) are left
/// out. Throws UsageError for the first case that is not possible as it was written, and if --with
/// is for none: nothing runs unless everything can.
Planned planned_cases(const Options& options, const std::vector<SchemaPtr>& schemas);

/// The limits on cases that are under way at once: as many as --workers, else cores.
JobLimits job_limits(const Options& options, const Planned& planned);

/// The folder of the suites beside the program: ../share/gradproof/cases.
std::string suites_directory();

/// The suite's file, NAME.cases; the suite's folder may lie in its place or beside it
/// (suite_files()). Throws UsageError for an unknown name.
std::string suite_file(const std::string& name);

/// Names of the suites that are there.
std::vector<std::string> known_suites();

/// Each as one line of a case file.
std::vector<std::string> texts_of(const std::vector<Case>& cases);

}  // namespace gradproof
