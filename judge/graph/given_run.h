// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"

namespace gradproof {

/// What the Case's file of given results says of the run that made them: a Record of the execution
/// for each verdict that its metadata names ("Crashed": "SIGSEGV"), with the sentence as reason.
/// None where nothing was wrong. Throws UsageError where the file cannot be read.
std::vector<Record> given_run_records(const Case& c, const Record& blank);

/// Records of a Case of core/case/witnessed_case.h: each tensor of its file of truths beside the
/// given one. Throws UsageError for files that do not fit each other.
std::vector<Record> witnessed_records(const Case& c, const Record& blank);

/// Adds to the verdict on a gradient that is wrong that the run had none: zeros stand in the file
/// in its place.
void say_no_gradient(const Case& c, Record& record);

}  // namespace gradproof
