// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace simt::executor {

/// From now on, an access of a kernel to the forbidden pages around the executor's memory is a
/// finding that names the memory, and ends its launch; so is a vector access that is not aligned,
/// where the processor faults on it. Every other fault goes to whoever handled it before.
void install_fault_handler();

/// How the finding of such an access names the instruction: empty where nothing is to be said. For
/// a process that can tell its line; without one the finding has no place.
using PlaceOfInstruction = std::string (*)(const void* instruction);
void set_place_of_instruction(PlaceOfInstruction place);

}  // namespace simt::executor
