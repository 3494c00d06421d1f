// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace gradproof {

/// True if text for the descriptor may have colours: FORCE_COLOR that is not empty says yes
/// (force-color.org), else NO_COLOR that is not empty says no (no-color.org), else a terminal that
/// is not dumb has them. A user who forces one program's colours wants them.
bool wants_colour(int descriptor);

/// The line with the verdict that it starts with in colour, and with cells of a table that are a
/// count of verdicts ("8 of 24 WRONG", "895 ok"); other lines as they are. RESULT is never
/// coloured: programs read that line.
std::string painted(const std::string& line);

/// Prints lines to standard output: nothing in them that a terminal would obey (core/printable.h)
/// but our colours, where these are wanted. Throws std::system_error where they cannot be written.
void say(std::string_view lines);

/// say() with every line that is too long for the terminal broken at blanks. RESULT is left whole.
void say_filled(std::string_view lines);

}  // namespace gradproof
