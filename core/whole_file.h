// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <iosfwd>
#include <string>

namespace gradproof {

/// Writes a file whole or not at all: what was there stays until all of the new text is on the
/// disk. Where `path` is a link, the file that it points to is replaced. A pipe, a device such as
/// /dev/stdout, and a file that has no name of its own are written in place.
/// Throws InstrumentError where there is no room or no permission.
void write_whole_file(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace gradproof
