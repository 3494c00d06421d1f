// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "reports/formats/report.h"

namespace gradproof {

/// A place in the source that an annotation points to.
struct SourcePlace {
  std::string file;       ///< empty where Report::source says nothing
  std::int64_t line = 0;  ///< from 1; 0 where the file cannot be read or does not name the kernel
};

/// The line that defines the kernel, as far as text alone shows it.
SourcePlace source_place(const Report& report, const std::string& kernel);

/// The first line that has the word as a whole, else the first that has it as a part of a name
/// (`swish_forward`); comments and #include lines do not count. 0 where there is none.
std::int64_t line_of_word(const std::string& source, const std::string& word);

}  // namespace gradproof
