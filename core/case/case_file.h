// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/case/case.h"

namespace gradproof {

/// Reads one Case a line; blank lines and lines that start with # are skipped. Throws UsageError
/// (`file:line: ...`) for a bad line, an unreadable file and a file without a Case.
std::vector<Case> read_cases(const std::string& path, const std::vector<SchemaPtr>& schemas);

/// The files of a suite: push.cases, and all case files of the folder push next to that file, if
/// the folder exists, in the order of their names. A suite may be a folder alone.
std::vector<std::string> suite_files(const std::string& path);

/// The Cases of all files of a suite. Throws as read_cases() does.
std::vector<Case> read_suite(const std::string& path, const std::vector<SchemaPtr>& schemas);

}  // namespace gradproof
