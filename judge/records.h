// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"
#include "simt/host.h"

namespace gradproof {

/// Who the oracle is; other witnesses and what it took stand behind it.
inline constexpr const char* kOracle = "double-double";

/// A Record of the Case that says nothing yet.
Record blank_record(const Case& c);

/// What is wrong with the run itself.
Record findings_record(const Case& c, const std::vector<simt::Finding>& findings);

Record skipped_record(const Case& c, const std::string& reason);

/// law=NAME: one Record for each quantity that the law looks at.
std::vector<Record> law_records(const Case& c);

}  // namespace gradproof
