// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <iosfwd>
#include <string>

namespace gradproof {

/// Writes a file whole or not at all: an old file stays until all of the new text is written. If
/// `path` is a link, the file that the link points to is replaced. A pipe, a device such as
/// /dev/stdout, and a file that has no name of its own are written in place.
/// Throws InstrumentError where the system refuses, for lack of room or of permission.
void write_whole_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace gradproof
