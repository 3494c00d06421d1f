// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace gradproof {

/// Must be called before any file is opened. A closed standard descriptor is replaced by one that
/// can neither be read nor written: no file that is opened later takes its number. A reader that
/// has gone and a file that has reached its limit become errors of the write instead of signals.
void hold_standard_streams();

/// Writes out what was printed. Throws std::system_error with the reason where it cannot be.
void flush_output();

/// A line on standard error, with nothing in it that a terminal would obey (core/printable.h) and
/// with tabs written out; of more than a thousand letters those in the middle are left out. A
/// stream that takes nothing costs the line, never the exit code.
void complain(std::string_view text);

}  // namespace gradproof
