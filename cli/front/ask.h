// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "cli/front/options.h"
#include "cli/process/job_queue.h"
#include "cli/process/session.h"
#include "core/case/case.h"
#include "core/second_witness.h"

namespace gradproof {

/// The answer about one Case: at least one Record, unless the worker refuses it as impossible.
struct CaseReply {
  std::vector<Record> records;
  std::string usage_error;
  bool interrupted = false;
  double peak_bytes = 0;     ///< of the worker
  bool asked_again = false;  ///< the first worker was killed from outside
  bool killed = false;       ///< this worker was
  bool resumed = false;      ///< nobody was asked: an earlier run has the Records
};

/// The seconds that the worker may be silent beyond the deadline, for each element of the Case:
/// about three times what the slowest of the published sizes took on two cores. The work of
/// executor and judge on an element has no such bound, so both report their progress
/// (simt/progress.h, core/work_listener.h), which renews the deadline.
inline constexpr double kSecondsPerElement = 5e-6;

/// The Cases about which `check` asks LibTorch, when it has so many: all of them, or the doubtful
/// ones alone (docs/witnesses.md).
SecondWitness second_witness(const Options& options, std::size_t cases);

/// Sends the Case to the worker. Whatever goes wrong on the way becomes a Record with the tensor
/// `execution`. A worker that is killed from outside (`killed`) is no word against the kernel
/// before the Case's second turn. Throws InstrumentError only when no worker can be started.
CaseReply ask_check(Session& session, const Case& c, double deadline_seconds, Detail detail,
                    const Turn& turn, SecondWitness witness = SecondWitness::of_all);

/// The answer about a Case of which nobody was asked: Skipped, for that reason.
CaseReply not_asked(Session& session, const Case& c, const std::string& reason);

/// Asks about a Case on all threads, and gives it its second turn if the worker was killed.
CaseReply ask_check(Session& session, const Case& c, double deadline_seconds, Detail detail);

/// Asks for the audit of a Case as `request` says, with the Case and its threads put in. A kernel
/// that takes the worker down is a wrong witness, and the rest is asked for without it; what takes
/// it down afterwards is the instrument. `read` takes the names of the phases. As ask_check()
/// otherwise.
CaseReply ask_audit(Session& session, const Case& c, AuditRequest request, const Turn& turn,
                    const LineReader& read);

}  // namespace gradproof
