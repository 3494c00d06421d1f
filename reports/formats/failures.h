// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "reports/causes/causes.h"
#include "reports/formats/report.h"

namespace gradproof {

/// The number of messages that stand in full, of one kernel's tensor or of a page's failures; a
/// summary counts all.
inline constexpr std::size_t kMessages = 5;

/// One tensor in which something is wrong, and what is known to look into it.
struct WrongTensor {
  const Record* record = nullptr;
  std::string diagnosis;  ///< what the audit says of this tensor of this Case, or empty
  Commands commands;      ///< of its run

  double ratio() const;  ///< error/bound; infinite where nothing was measured
};

/// The wrong tensors of one kernel, dtype and tensor.
struct FailureGroup {
  std::string kernel;
  std::string dtype;
  std::string tensor;
  Measured measured = Measured::comparison;
  std::int64_t judged = 0;
  std::vector<WrongTensor> failures;  ///< the most severe in front

  const WrongTensor& worst() const { return failures.front(); }
  /// "FAILED K d_x f32".
  std::string title() const;
  /// "14 of 371 tensors are wrong, worst error/bound 61.6".
  std::string summary() const;
};

/// All that is wrong (is_wrong) and broken instruments, of check and audit, by kernel, dtype and
/// tensor; the most severe in front: crashes and timeouts, then by the largest error/bound. Points
/// into the report.
std::vector<FailureGroup> failure_groups(const Report& report);

/// The groups without what an audit calls wrong if the check of the same Case failed too: the
/// audit's diagnosis stands there.
std::vector<FailureGroup> without_repetition(const std::vector<FailureGroup>& groups);

/// The failures of all groups, the most severe in front.
std::vector<WrongTensor> by_severity(const std::vector<FailureGroup>& groups);

/// A Cause of a run, and what is known to look into it.
struct ReportedCause {
  Cause cause;
  std::string diagnosis;  ///< what the audit says of its most severe Case's gradients, or empty
  Commands commands;      ///< of its run

  /// The first wrong tensor of the most severe Case, which stands for the others.
  WrongTensor first() const { return {&cause.first(), diagnosis, commands}; }
  /// "Failed K: y, d_x, d_bias".
  std::string title() const;
  /// The command that runs its most severe Case again.
  std::string replay() const { return commands.replay(cause.first().case_text); }
};

/// The Causes of check and audit, those of the check first. An audit's wrong Case is left out if
/// the check of the same Case failed too: its diagnosis stands there. Points into the report.
std::vector<ReportedCause> reported_causes(const Report& report);

/// The message of the record at length: that of `check`, or that of `audit`.
std::string message_of(const WrongTensor& failure);

}  // namespace gradproof
