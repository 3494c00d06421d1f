// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace gradproof {

/// Runs the program with its arguments to its end, in a process group of its own, so that Ctrl-C in
/// a terminal is this program's alone. Returns its exit status as waitpid() has it. Throws
/// UsageError where it cannot be started, and Interrupted where a signal asked this program to end:
/// then it has been told to end what it started, and has ended.
int python_status(const std::vector<std::string>& words);

}  // namespace gradproof
