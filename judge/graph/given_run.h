// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"

namespace gradproof {

/// Records of the execution, one for each verdict that the metadata of the Case's given results
/// names ("Crashed": "SIGSEGV"), with the sentence as reason. There are none if nothing was wrong
/// with the run that made the results. Throws UsageError if the file cannot be read.
std::vector<Record> given_run_records(const Case& c, const Record& blank);

/// The device of the run that made the results, as their file names it ("executor sm_90"), else the
/// statement that they were given.
std::string device_of_given(const Case& c);

/// Records of a Case of core/case/witnessed_case.h: each tensor of its file of truths beside the
/// given one. Throws UsageError for files that do not fit each other.
std::vector<Record> witnessed_records(const Case& c, const Record& blank);

/// Adds to the verdict on a wrong gradient that the run had no such gradient: zeros stand in its
/// place in the file.
void say_no_gradient(const Case& c, Record& record);

}  // namespace gradproof
