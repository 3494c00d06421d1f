// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gradproof {

/// A message about damage that git, editors and shells do to text files, and what to do about it: a
/// merge's conflict markers, a byte order mark, line ends of Windows. `file:line: ...`, or empty if
/// there is no such damage.
std::string damage_of(const std::string& text, const std::string& file);

}  // namespace gradproof
