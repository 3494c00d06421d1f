// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

namespace gradproof {

/// The verb's exit code. What it throws becomes a line on standard error and the code that stands
/// for it (docs/cli.md).
int exit_code_of(const std::function<int()>& verb);

}  // namespace gradproof
