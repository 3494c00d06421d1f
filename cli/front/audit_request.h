// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/front/options.h"
#include "cli/process/job_queue.h"
#include "cli/process/session.h"
#include "core/case/case.h"

namespace gradproof {

/// What a worker said about one Case.
struct CaseAudit {
  Reply reply;
  bool kernel_died = false;  ///< the kernel took the worker down; each row says so
  bool asked_again = false;  ///< the first worker was killed from outside

  bool wrong() const;
};

/// Asks for the audit of a Case, which may take so many threads. A kernel that takes the worker
/// down is a wrong witness, and the rest is asked for without it. A worker that was killed from
/// outside (reply.killed) is no word against it before its second turn. What is missing at the end
/// has a row that says so. Throws as Session::ask does.
CaseAudit ask_audit(Session& session, const Case& c, const Options& options, const Turn& turn,
                    const LineReader& read);

}  // namespace gradproof
