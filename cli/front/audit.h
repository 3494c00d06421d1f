// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/front/audit_request.h"
#include "cli/front/cases.h"
#include "cli/front/options.h"
#include "cli/front/progress.h"
#include "cli/process/session_pool.h"
#include "core/case/case.h"
#include "reports/record/audit_store.h"
#include "reports/record/tally.h"

namespace gradproof {

/// One audit over planned cases: several workers are asked at once; their rows are printed and
/// recorded in the order of the cases, and the last line is RESULT.
class AuditRun {
 public:
  AuditRun(const Options& options, Session& session, const Planned& planned);
  AuditRun(const AuditRun&) = delete;
  AuditRun& operator=(const AuditRun&) = delete;

  /// The exit code.
  int run(Interrupt& interrupt);

 private:
  void audit_all(Interrupt& interrupt);
  void take(const Case& c, const CaseAudit& audit);
  void print_trouble(const std::string& text, const Reply& reply);
  void print(const std::string& text, const std::vector<AuditRow>& rows) const;
  int finish();

  const Options& options_;
  Session& session_;
  std::vector<Case> cases_;
  JobLimits limits_;
  std::string left_out_;
  bool loud_;  ///< every row, certified or not
  std::optional<AuditWriter> writer_;
  Progress progress_;
  Clock::time_point start_;
  std::vector<AuditRecord> records_;
  std::size_t done_ = 0;
  Findings findings_;
};

/// `--column x[3,7]`: the worker's own lines about one column of the Jacobian. Throws UsageError
/// unless there is exactly one case.
int audit_column(const Options& options, Session& session, const Planned& planned);

}  // namespace gradproof
