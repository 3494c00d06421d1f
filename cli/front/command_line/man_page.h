// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "cli/front/command_line/description.h"

namespace gradproof {

/// gradproof(1) in the man(7) macros: `gradproof man | man -l -`.
std::string man_page(const ProgramText& program);

}  // namespace gradproof
