// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/options.h"
#include "cli/session.h"
#include "core/case.h"

namespace gradproof {

/// What a worker said about one Case.
struct CaseAudit {
  Reply reply;
  bool kernel_died = false;  ///< the kernel took the worker down; each row says so

  bool wrong() const;
};

/// Asks for the audit of a Case, which may take `threads`. A kernel that takes the worker down is a
/// wrong witness, and the rest is asked for without it. Throws as Session::ask does.
CaseAudit ask_audit(Session& session, const Case& c, const Options& options, int threads,
                    const LineReader& read);

}  // namespace gradproof
