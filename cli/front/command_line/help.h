// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "cli/front/command_line/description.h"

namespace gradproof {

/// What `gradproof --help` prints: every verb in a line.
std::string help_text(const ProgramText& program);

/// What `gradproof VERB --help` prints: usage, arguments and options with their defaults, an
/// example.
std::string help_text(const VerbText& verb);

/// "gradproof check [OPTIONS] [CASE...]"
std::string usage_of(const VerbText& verb);

/// "what --records took (default: the last)"
std::string help_with_default(const OptionText& option);

}  // namespace gradproof
