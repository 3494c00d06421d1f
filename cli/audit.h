// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/cases.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "core/case.h"
#include "reports/audit_store.h"
#include "reports/tally.h"

namespace gradproof {

/// One audit over planned cases: asks, tells, records, and ends with the RESULT line.
class AuditRun {
 public:
  AuditRun(const Options& options, Session& session, const Planned& planned);

  /// The exit code.
  int run();

 private:
  /// `stage` becomes the last thing that the worker said to be at.
  Reply ask(const Case& c, const std::vector<std::string>& more, std::string& stage);
  void audit_one(const Case& c);
  void take(const Case& c, const Reply& reply);
  void tell_trouble(const std::string& text, const Reply& reply);
  void tell(const std::string& text, const std::vector<AuditRow>& rows) const;
  int finish();

  const Options& options_;
  Session& session_;
  std::vector<Case> cases_;
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
