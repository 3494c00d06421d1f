// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "cli/front/cases.h"
#include "cli/process/workers.h"

namespace gradproof {

/// A worker, and the cases that it was started for.
struct Started {
  std::shared_ptr<Session> session;
  Planned planned;
};

/// Starts gradproof-worker, or what --worker names, and plans the options' cases. Where the worker
/// does not know one, gradproof-lab beside it is asked instead, which has the mutants and the model
/// pairs. Throws as planned_cases() does.
Started started(const Options& options, Workers& workers);

/// Starts a session that nobody else uses.
Started started(const Options& options, Interrupt& interrupt);

/// gradproof-lab, or what --worker names, for the verbs that only the lab answers. Throws
/// InstrumentError with what to build where there is none.
std::unique_ptr<Session> started_lab(const Options& options, const Interrupt& interrupt);

}  // namespace gradproof
