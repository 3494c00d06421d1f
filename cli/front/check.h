// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/front/ask_check.h"
#include "cli/front/cases.h"
#include "cli/front/options.h"
#include "cli/front/progress.h"
#include "cli/process/session.h"
#include "core/case/case.h"
#include "reports/record/store.h"
#include "reports/record/tally.h"

namespace gradproof {

/// One run over planned cases: several workers are asked at once; what they say is printed and
/// recorded in the order of the cases, failures are shrunk, and the last line is RESULT.
class CheckRun {
 public:
  CheckRun(const Options& options, Session& session, const Planned& planned);

  /// The exit code.
  int run(Interrupt& interrupt);

 private:
  void judge_all(Interrupt& interrupt);
  void take(const Case& c, const CheckReply& reply);
  void print(const Record& record);
  void print_overview();
  void shrink_failures();
  void shrink_one(Session& session, const Case& c, const Record& failure);
  int finish();

  const Options& options_;
  Session& session_;
  std::vector<Case> cases_;
  JobLimits limits_;
  std::string left_out_;
  bool loud_;  ///< evidence of every tensor as it is judged; else an overview at the end
  std::optional<RecordWriter> writer_;
  Progress progress_;
  Clock::time_point start_;
  std::vector<Record> records_;
  std::size_t done_ = 0;
  double worker_peak_ = 0;  ///< bytes
  Findings findings_;
  /// The first failure of each kernel that a simpler Case may show, with its own.
  std::map<std::string, std::pair<Case, Record>> first_failures_;
};

}  // namespace gradproof
