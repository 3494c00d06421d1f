// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "cli/front/progress.h"
#include "cli/process/interrupt.h"
#include "cli/protocol/standard_streams.h"
#include "core/error.h"
#include "reports/record/tally.h"

namespace gradproof {

/// Runs a step of a run, and returns whether it ended by itself. An InstrumentError out of it is
/// printed and counted as `infrastructure`, so that the run can still print what it has.
template <class Step>
bool run_step(Progress& progress, Findings& findings, const Step& step) {
  try {
    step();
    return true;
  } catch (const Interrupted&) {
    return false;  // what did not run is counted
  } catch (const InstrumentError& error) {
    progress.clear();
    complain(std::string("gradproof: ") + error.what());
    findings.infrastructure = true;
    return false;
  }
}

}  // namespace gradproof
