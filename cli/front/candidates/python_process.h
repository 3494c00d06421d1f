// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/process/interrupt.h"

namespace gradproof {

/// The descriptor on which the program asks, a line each, and is answered, likewise.
inline constexpr int kAsking = 3;

/// Takes what the program asks, and returns the answer; both without a line feed.
using Answerer = std::function<std::string(const std::string&)>;

/// Runs the program with its arguments to its end, in a process group of its own, so that Ctrl-C in
/// a terminal is this program's alone, and answers what it asks. Returns its exit status as
/// waitpid() has it. Throws UsageError where it cannot be started, and Interrupted where a signal
/// asked this program to end: then it has been told to end what it started, and has ended.
int python_status(const std::vector<std::string>& words, const Interrupt& interrupt,
                  const Answerer& answer);

}  // namespace gradproof
