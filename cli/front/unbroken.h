// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "cli/front/progress.h"
#include "cli/process/interrupt.h"
#include "cli/protocol/standard_streams.h"
#include "core/error.h"
#include "reports/record/tally.h"

namespace gradproof {

/// Whether a step of a run went through. Where the instrument broke in it, that is said and found;
/// what was found before is still told.
template <class Step>
bool unbroken(Progress& progress, Findings& findings, const Step& step) {
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
