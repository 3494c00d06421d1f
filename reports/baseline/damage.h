// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gradproof {

/// What git, editors and shells do to text files, and what to do about it: a merge's conflict
/// markers, a byte order mark, line ends of Windows. `file:line: ...`, or empty where nothing of
/// this was done.
std::string damage_of(const std::string& text, const std::string& file);

}  // namespace gradproof
