// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "cli/front/command_line/description.h"

namespace gradproof {

/// The text that `gradproof --help` prints: every verb in a line.
std::string help_text(const ProgramText& program);

/// The text that `gradproof VERB --help` prints: usage, arguments and options with their defaults,
/// an example.
std::string help_text(const VerbText& verb);

/// The usage: "gradproof check [OPTIONS] [CASE...]".
std::string usage_of(const VerbText& verb);

/// The help with the default: "what --records took (default: the last)".
std::string help_with_default(const OptionText& option);

}  // namespace gradproof
