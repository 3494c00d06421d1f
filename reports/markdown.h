// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "reports/baseline.h"
#include "reports/runs/store.h"

namespace gradproof {

/// A run's records for people: summary, one row for each kernel and tensor, what the passes
/// resolve, failures with their message, what is unproved or was skipped, where it ran.
std::string markdown(const StoredRecords& stored);

/// The same in plain lines: a line for each kernel and tensor, what the passes resolve, then all
/// that did not pass.
std::string plain_text(const StoredRecords& stored);

/// The comparison with a baseline, as a section that follows either.
std::string markdown(const BaselineComparison& comparison);
std::string plain_text(const BaselineComparison& comparison);

}  // namespace gradproof
